#!/usr/bin/env bash
# Demands that every `go test -run` in files such as Dockerfiles names whole tests:
# -run '^TestX$'. A name without anchors runs other tests, too, and one with a
# slash leaves sub-tests out; both are green when the wanted test is renamed.
# usage: hack/gate/anchored-run.sh FILE...
# Exit code 0 if all are anchored, 1 if not or if there is none, 2 on bad usage.
set -euo pipefail

if [[ $# -eq 0 ]]; then
  echo "usage: anchored-run.sh FILE..." >&2
  exit 2
fi
found=0 failed=0
for file in "$@"; do
  while IFS=: read -r line text; do
    name=$(sed -nE "s/.*-run[= ]+[\"']?([^\"' ]+).*/\1/p" <<<"$text")
    [[ -n $name ]] || continue
    found=1
    if [[ ! $name =~ ^\^[A-Za-z0-9_]+\$\$?$ ]]; then
      echo "$file:$line: expected -run '^TestName\$', found -run $name"
      failed=1
    fi
  done < <(grep -nE 'go test.* -run[= ]' -- "$file" || true)
done
if [[ $found -eq 0 ]]; then
  echo "no go test -run in $*: expected at least one"
  failed=1
fi
exit "$failed"
