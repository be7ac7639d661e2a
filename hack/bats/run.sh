#!/usr/bin/env bash
# Runs bats files and prints TAP. The command under test is $VMREPLAY, or
# bin/vmreplay of the checkout.
# usage: hack/bats/run.sh FILE.bats...
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

export VMREPLAY=${VMREPLAY:-$here/../../bin/vmreplay}
if [[ ! -x $VMREPLAY ]]; then
  echo "run.sh: no program at $VMREPLAY: run 'make build' first, or set VMREPLAY" >&2
  exit 2
fi
# Colours and a terminal's width must not reach the output that tests compare.
export NO_COLOR=1 LC_ALL=C
unset COLUMNS GOMAXPROCS
exec "$here/node_modules/bats/bin/bats" --tap "$@"
