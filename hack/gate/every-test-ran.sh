#!/usr/bin/env bash
# Demands that every @test that bats files declare was run: a run that ends early,
# or a title that hides another, is green and proves less than it seems to.
# usage: hack/gate/every-test-ran.sh FILE.bats... < TAP
# Exit code 0 if the counts agree and no title is there twice, 1 if not, 2 on bad
# usage.
set -euo pipefail

if [[ $# -eq 0 ]]; then
  echo "usage: every-test-ran.sh FILE.bats... < TAP" >&2
  exit 2
fi
titles=$(sed -nE "s/^[[:space:]]*@test[[:space:]]+[\"'](.*)[\"'][[:space:]]*\{.*/\1/p" -- "$@")
declared=$(grep -c . <<<"$titles" || true)
executed=$(grep -cE '^(not )?ok [0-9]+' || true)
failed=0
if [[ $declared -ne $executed ]]; then
  echo "expected $declared tests, as many as $* declare, found $executed that ran"
  failed=1
fi
# Some runners make a function of each title, by its letters and digits alone.
twice=$(sed -E 's/[^[:alnum:]]+/_/g' <<<"$titles" | sort | uniq -d)
if [[ -n $twice ]]; then
  echo "tests whose titles differ in no letter or digit, so that one may hide the other:"
  sed 's/^/  /' <<<"$twice"
  failed=1
fi
exit "$failed"
