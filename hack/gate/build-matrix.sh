#!/usr/bin/env bash
# Demands that a repository's build matrix selects every package that has an image:
# for each Makefile below FOLDER with a target `image`, a change of one file of that
# package, given to COMMAND on standard input as git diff --name-only prints it,
# must give output that names the package. A package that is in no build list is
# neither built nor tested when a patch in it changes.
# usage: hack/gate/build-matrix.sh FOLDER COMMAND [ARGUMENT...]
# Exit code 0 if all are selected, 1 if one is not or there is none, 2 on bad usage.
set -euo pipefail

if [[ $# -lt 2 || ! -d $1 ]]; then
  echo "usage: build-matrix.sh FOLDER COMMAND [ARGUMENT...]" >&2
  exit 2
fi
folder=${1%/}
shift
found=0 failed=0
while IFS= read -r -d '' makefile; do
  grep -qE '^image[^=:]*:([^=]|$)' "$makefile" || continue
  found=1
  package=$(dirname "$makefile")
  if ! selected=$("$@" <<<"$package/some.diff"); then
    echo "$package: the matrix command failed: $*"
    failed=1
  elif [[ $selected != *"$package"* ]]; then
    echo "$package: it has a target image, but a change of $package/some.diff selects ${selected:-nothing}"
    failed=1
  fi
done < <(find "$folder" -name Makefile -print0 | sort -z)
if [[ $found -eq 0 ]]; then
  echo "no Makefile below $folder has a target image: expected at least one"
  failed=1
fi
exit "$failed"
