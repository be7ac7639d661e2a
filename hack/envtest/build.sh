#!/usr/bin/env bash
# Prints a folder with kube-apiserver, etcd and kube-scheduler, for
# KUBEBUILDER_ASSETS. The programs are built from the modules that go.mod beside
# this file pins and go.sum verifies: some eight minutes of two cores, once. The
# folder is named by the hash of all that goes into it, so whatever has been built
# is found again, and nothing stale is.
#
# If KUBEBUILDER_ASSETS is set, it is printed, and nothing is built.
set -euo pipefail
if [[ -n ${KUBEBUILDER_ASSETS:-} ]]; then
  echo "$KUBEBUILDER_ASSETS"
  exit
fi
cd "$(dirname "${BASH_SOURCE[0]}")"
# The flags of the caller must not change what is built.
export CGO_ENABLED=0 GOFLAGS=-mod=readonly GOWORK=off

input=$({ go version && cat go.mod go.sum build.sh; } | sha256sum)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/vmreplay/envtest
assets=$cache/${input:0:16}
if [[ ! -d $assets ]]; then
  mkdir -p "$cache"
  # Two builds at once would only halve the speed of both.
  exec 9>"$cache/lock"
  flock 9
fi
if [[ -d $assets ]]; then
  echo "$assets"
  exit
fi

release=$(go list -m -f '{{.Version}}' k8s.io/kubernetes)
minor=${release#v1.}
minor=${minor%%.*}
# What the programs say of themselves. Without it /version has no number, and
# clients that ask for a minimum refuse the server.
stamps=(gitVersion="$release" gitMajor=1 gitMinor="$minor" gitCommit=unknown gitTreeState=archive)
ldflags="-s -w -X go.etcd.io/etcd/api/v3/version.GitSHA=unknown"
for package in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
  for stamp in "${stamps[@]}"; do
    ldflags+=" -X $package.$stamp"
  done
done

# A folder under construction has another name: whoever finds the final name
# finds everything in it.
unfinished=$(mktemp -d "$cache/unfinished.XXXXXX")
trap 'rm -rf "$unfinished"' EXIT
build() {
  echo "building $1 (once; kept in $cache)" >&2
  go build -trimpath -buildvcs=false -ldflags "$ldflags" -o "$unfinished/$1" "$2" >&2
}
build etcd go.etcd.io/etcd/server/v3
build kube-apiserver k8s.io/kubernetes/cmd/kube-apiserver
build kube-scheduler k8s.io/kubernetes/cmd/kube-scheduler
chmod 755 "$unfinished"
mv -T "$unfinished" "$assets"
trap - EXIT
echo "$assets"
