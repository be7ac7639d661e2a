#!/usr/bin/env bash
# Prints the schema of OVN's northbound database, for a real ovsdb-server: what
# is installed, else, for root on a system with apt-get, what Debian's packages
# have. The package with the schema also starts daemons; only the file is taken
# out of it.
set -euo pipefail
schema=/usr/share/ovn/ovn-nb.ovsschema
cache=${XDG_CACHE_HOME:-$HOME/.cache}/vmreplay/ovn
has_server() { PATH=$PATH:/usr/sbin command -v ovsdb-server ovsdb-tool >/dev/null; }

if has_server; then
  for file in "$schema" "$cache/ovn-nb.ovsschema"; do
    [[ -f $file ]] && echo "$file" && exit
  done
fi
if [[ $(id -u) != 0 ]] || ! command -v apt-get >/dev/null; then
  echo "the northbound database cannot be run: want ovsdb-server, ovsdb-tool and $schema," >&2
  echo "which Debian's packages openvswitch-common and ovn-central bring (apt-get install openvswitch-common ovn-central)" >&2
  exit 1
fi
if ! has_server; then
  apt-get install --yes --no-install-recommends openvswitch-common >&2 ||
    { apt-get update >&2 && apt-get install --yes --no-install-recommends openvswitch-common >&2; }
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# apt-get drops to another user for downloads, who must be able to write here.
chmod 777 "$work"
(cd "$work" && apt-get download ovn-central >&2 && dpkg-deb --extract ovn-central_*.deb .)
mkdir -p "$cache"
cp "$work$schema" "$cache/ovn-nb.ovsschema"
echo "$cache/ovn-nb.ovsschema"
