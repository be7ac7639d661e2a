#!/usr/bin/env bash
# Runs `vmreplay gate`: one line for a Dockerfile's RUN or a step of CI. The
# program is $VMREPLAY, or the one on the PATH, or it is built from this checkout.
# usage: hack/gate.sh --tree DIR --package ./PKG --binding FILE --patches GLOB --scenarios PATH ...
# `vmreplay gate --help` has all flags. The exit code is the gate's: 0 open,
# 1 closed, 2 bad input, 3 no verdict.
set -euo pipefail

if [[ -n ${VMREPLAY:-} ]]; then
  exec "$VMREPLAY" gate "$@"
fi
if command -v vmreplay >/dev/null; then
  exec vmreplay gate "$@"
fi
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
(cd "$here" && go build -o bin/vmreplay ./sim/cmd/vmreplay) || exit 2
exec "$here/bin/vmreplay" gate "$@"
