#!/usr/bin/env bash
# Runs every fuzz target of the tree for a short time, one after the other.
# usage: hack/fuzz.sh [duration of each, 10s]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

time=${1:-10s}
# go test fuzzes one target of one package at a time. git lists new files too,
# and leaves out what is ignored.
targets=$(git ls-files --cached --others --exclude-standard '*_test.go' |
  xargs grep -HoE '^func Fuzz[A-Za-z0-9_]+\(' | sed -E 's/:func /:/; s/\($//')
count=0
while IFS=: read -r file name; do
  echo "== $name ($(dirname "$file"), $time)"
  go test -run '^$' -fuzz "^$name\$" -fuzztime "$time" "./$(dirname "$file")"
  count=$((count + 1))
done <<<"$targets"
echo "$count fuzz targets, no failure"
