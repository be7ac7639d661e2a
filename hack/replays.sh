#!/usr/bin/env bash
# Searches stories of both controllers under variants that break, and replays
# every finding 100 times: each replay must be the same run, decision by decision,
# and fail as its file says.
# usage: hack/replays.sh [BUDGET, 1000 [SEED, 1]]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

budget=${1:-1000}
seed=${2:-1}
found=$(mktemp -d)
trap 'rm -rf "$found"' EXIT

# search STORY VARIANT...: the findings of each variant, in a folder of its name
search() {
  local story=$1 variant code
  for variant in "${@:2}"; do
    code=0
    bin/vmreplay explore "scenarios/$story.yaml" --variant "$variant" --budget "$budget" --seed "$seed" \
      --out "$found/$variant" --quiet >/dev/null || code=$?
    ((code <= 1)) || exit "$code"
  done
}

search vmim/live-migration none scheduling-retry both
search vmim/two-migrations both
search vmim/network-without-readiness-gate both
search kvvm/node-selector-edited-after placement placement-ee delete-kvvmi restart-required

findings=0 differ=0
for file in "$found"/*/*.yaml; do
  findings=$((findings + 1))
  variant=$(basename "$(dirname "$file")")
  if ! said=$(bin/vmreplay run "$file" --variant "$variant" --repeat 100 2>&1); then
    differ=$((differ + 1))
    echo "$said"
  fi
done
echo "$differ of $findings findings do not replay 100 times out of 100"
((findings > 0 && differ == 0))
