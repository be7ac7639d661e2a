#!/usr/bin/env bash
# Makes sure that there is a Chromium: Debian's, installed if this may be done.
set -euo pipefail
for program in "${CHROMIUM:-}" /usr/bin/chromium /usr/bin/chromium-browser /usr/bin/google-chrome; do
  if [[ -n $program && -x $program ]]; then exit 0; fi
done
if [[ $(id -u) -ne 0 ]] || ! command -v apt-get >/dev/null; then
  echo "chromium.sh: no Chromium found: install the package chromium, or name the program in CHROMIUM" >&2
  exit 1
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update -q
apt-get install -y -q --no-install-recommends chromium fonts-dejavu-core
