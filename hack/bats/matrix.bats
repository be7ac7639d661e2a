# The ownership matrix: which patch turns which scenario green. Dropping either
# patch turns red only the cases that it owns; the two controls stay green.

setup() { load helpers; }

# row SCENARIO NONE SCHEDULING-RETRY TARGET-POD-RETRY BOTH WAKE
row() {
  vmreplay matrix "$(seed_file "$1")" --format json
  assert_exit 0
  assert_equal "$(json d.rows.length)" 1
  assert_equal "$(json 'd.rows[0].scenario')" "$1"
  assert_equal \
    "$(json '["none", "scheduling-retry", "target-pod-retry", "both", "wake"].map(v => v + " " + d.rows[0].cells[v])')" \
    "none $2
scheduling-retry $3
target-pod-retry $4
both $5
wake $6"
  assert_equal "$(json 'Object.keys(d.rows[0].cells).length')" 5
}

@test "target pod not created: owned by the target pod's retry" {
  row target-pod-not-created red red green green green
}

@test "source node unknown: owned by the scheduling retry" {
  row source-node-unknown red green red green green
}

@test "target node unknown: owned by the scheduling retry" {
  row target-node-unknown red green red green green
}

@test "both nodes unknown: owned by the scheduling retry" {
  row both-nodes-unknown red green red green green
}

@test "already scheduled: green with any patches" {
  row already-scheduled green green green green green
}

@test "same node: green with any patches" {
  row same-node green green green green green
}

@test "the embedded pack has the rows of the files" {
  local files=() seed
  for seed in "${seeds[@]}"; do files+=("$(seed_file "$seed")"); done
  vmreplay matrix "${files[@]}" --format json
  assert_exit 0
  local from_files
  from_files=$(json 'd.rows.map(r => JSON.stringify(r)).sort()')

  vmreplay matrix --format json
  assert_exit 0
  local line
  while IFS= read -r line; do
    json 'd.rows.map(r => JSON.stringify(r))' | grep -qxF -- "$line" ||
      fail "the embedded pack lacks the row $line"
  done <<<"$from_files"
}

@test "rows come in the order of the arguments" {
  vmreplay matrix "$(seed_file same-node)" "$(seed_file already-scheduled)" --format json
  assert_exit 0
  assert_equal "$(json 'd.rows.map(r => r.scenario)')" "same-node
already-scheduled"
}

@test "the table shows each variant as a column and each cell as a word" {
  vmreplay matrix "$(seed_file target-pod-not-created)" "$(seed_file same-node)" --format table
  assert_exit 0
  assert_output --regexp 'none +scheduling-retry +target-pod-retry +both +wake'
  assert_output --regexp 'target-pod-not-created +red +red +green +green +green'
  assert_output --regexp 'same-node +green +green +green +green +green'
}

@test "the table is the default format" {
  vmreplay matrix "$(seed_file same-node)"
  assert_exit 0
  local default=$output
  vmreplay matrix "$(seed_file same-node)" --format table
  assert_equal "$default" "$output"
}

# The ten cases that were measured on Deckhouse's own controller: what the first
# release of its patch and the later one make of them, in the community edition and
# in the other. Green is an updated KVVM and a pod that is recreated.
@test "the measured cases of kvvm" {
  vmreplay matrix "$checkout"/scenarios/kvvm/case-*.yaml --format json
  assert_exit 0
  assert_equal "$(json 'd.rows.map(r => r.scenario.slice(0, 7) + " " + ["vm-placement", "placement", "placement-ee", "level", "level-ee"].map(v => r.cells[v]).join(" "))')" \
    "case-01 green green green green green
case-02 green green green green green
case-03 green green green green green
case-04 red red red green green
case-05 red green green green green
case-06 red green green green green
case-07 red red red green green
case-08 red red red green green
case-09 red red red green green
case-10 green green red green green"
}

@test "a class that does not exist is reported, and no reason to spin" {
  vmreplay run "$checkout/scenarios/kvvm/class-does-not-exist.yaml"
  assert_exit 0
}
