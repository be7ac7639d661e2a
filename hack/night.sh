#!/usr/bin/env bash
# Searches long for an order of events that breaks our own fixes: the variants
# wake and level. With the default budget, each story is played in more than
# 20,000 schedules with at most two perturbations, and in more than 20,000 random
# ones. What is found lies in out/night; exit code 1 if anything is.
#
#   hack/night.sh [BUDGET [SEED]]
#
# The seed is the date, unless one is given.
set -euo pipefail
cd "$(dirname "$0")/.."

budget=${1:-60000}
seed=${2:-$(date -u +%Y%m%d)}
echo "hack/night.sh $budget $seed"

failed=0
# KubeVirt itself backs off while it is late: its next try may be as far away as
# the longest delay there is, 400 s. So all has more time to come right.
search() {
  bin/vmreplay explore "$@" --bound 7m --budget "$budget" --seed "$seed" --out out/night || failed=1
}

for story in live-migration two-migrations network-without-readiness-gate; do
  search "scenarios/vmim/$story.yaml" --variant wake
done
search scenarios/kvvm/node-selector-edited-after.yaml --variant level

exit "$failed"
