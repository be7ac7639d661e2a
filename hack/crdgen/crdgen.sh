#!/usr/bin/env bash
# Makes from the Go types in sim/api what follows from them: the CRDs in
# fixtures/crds and the deep copies beside the types. The version of
# controller-gen is the one that go.mod beside this file pins.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
tool=$(mktemp -d)
trap 'rm -rf "$tool"' EXIT
(cd "$here" && GOFLAGS=-mod=readonly GOWORK=off go build -trimpath -o "$tool/controller-gen" sigs.k8s.io/controller-tools/cmd/controller-gen)
cd "$root"
"$tool/controller-gen" object paths=./sim/api/...
rm -f fixtures/crds/*.yaml
"$tool/controller-gen" crd:maxDescLen=0 paths=./sim/api/... output:crd:dir=fixtures/crds
