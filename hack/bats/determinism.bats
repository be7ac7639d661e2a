# One scenario, variant and seed give one run, whatever the machine does
# meanwhile. The hash covers times, decision points and outcomes of the run.

setup() { load helpers; }

# hashes prints "scenario variant hash" of each result, sorted, each once.
hashes() { json 'd.results.map(r => [r.scenario, r.variant, r.hash].join(" "))' | sort -u; }

# repeats SCENARIO: twenty runs of every variant give one hash for each variant.
repeats() {
  vmreplay run "$(seed_file "$1")" --variant all --repeat 20 --format json
  assert_exit 0
  local all
  all=$(hashes)
  assert_equal "$(wc -l <<<"$all")" 5
  refute [ -n "$(grep -vE ' [0-9a-f]{16}$' <<<"$all")" ]
}

# all_hashes [OPTIONS]: the hashes of all seeds and variants.
all_hashes() {
  local files=() seed
  for seed in "${seeds[@]}"; do files+=("$(seed_file "$seed")"); done
  vmreplay run "${files[@]}" --variant all --format json "$@"
  assert_exit 0
  hashes
}

@test "target pod not created: 20 runs, one hash" { repeats target-pod-not-created; }
@test "source node unknown: 20 runs, one hash" { repeats source-node-unknown; }
@test "target node unknown: 20 runs, one hash" { repeats target-node-unknown; }
@test "both nodes unknown: 20 runs, one hash" { repeats both-nodes-unknown; }
@test "already scheduled: 20 runs, one hash" { repeats already-scheduled; }
@test "same node: 20 runs, one hash" { repeats same-node; }

@test "one processor gives the hashes that all processors give" {
  local all one
  all=$(all_hashes)
  one=$(GOMAXPROCS=1 all_hashes)
  assert_equal "$one" "$all"
  assert_equal "$(wc -l <<<"$all")" 30
}

@test "the number of jobs does not change a hash" {
  local four one
  four=$(all_hashes --jobs 4)
  one=$(all_hashes --jobs 1)
  assert_equal "$four" "$one"
}

@test "a scenario alone has the hash that it has among others" {
  local among
  among=$(all_hashes | grep '^same-node ')
  vmreplay run "$(seed_file same-node)" --variant all --format json
  assert_exit 0
  assert_equal "$(hashes)" "$among"
}

@test "the JSON of two processes is the same, byte for byte" {
  vmreplay run "$(seed_file target-pod-not-created)" --variant all --format json
  assert_exit 0
  local first=$output
  vmreplay run "$(seed_file target-pod-not-created)" --variant all --format json
  assert_equal "$output" "$first"
}

@test "the same seed gives the same hashes" {
  local first second
  first=$(all_hashes --seed 7)
  second=$(all_hashes --seed 7)
  assert_equal "$second" "$first"
}
