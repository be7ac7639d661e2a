#!/usr/bin/env bash
# Makes the CRDs of KubeVirt in fixtures/crds/kubevirt from KubeVirt's Go types,
# with the controller-gen that hack/crdgen pins and the kubevirt.io/api that the
# module's own go.mod names. The types have no markers for what virt-operator adds
# when it installs the CRDs, so that is added here: short names, and the status
# subresource of virtual machines and migrations. Virtual machine instances have
# none.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(cd "$root/hack/crdgen" && GOFLAGS=-mod=readonly GOWORK=off go build -trimpath -o "$work/controller-gen" sigs.k8s.io/controller-tools/cmd/controller-gen)
cd "$root"
# A float in KubeVirt's configuration is refused otherwise.
"$work/controller-gen" crd:allowDangerousTypes=true,maxDescLen=0 paths=kubevirt.io/api/core/v1 output:crd:dir="$work/crd"

target=fixtures/crds/kubevirt
mkdir -p "$target"
install_crd() {
  local plural=$1 short=$2 status=$3
  sed -e "s/^    plural: $plural\$/&\n    shortNames: [$short]/" \
    -e "s/^    storage: true\$/&$status/" \
    "$work/crd/kubevirt.io_$plural.yaml" >"$target/kubevirt.io_$plural.yaml"
}
status='\n    subresources:\n      status: {}'
install_crd virtualmachines 'vm, vms' "$status"
install_crd virtualmachineinstances 'vmi, vmis' ''
install_crd virtualmachineinstancemigrations 'vmim, vmims' "$status"
