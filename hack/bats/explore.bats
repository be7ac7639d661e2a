# The search: what it finds, what it leaves behind, and that neither processes
# nor shards change it.

setup() {
  load helpers
  story=$checkout/scenarios/vmim/live-migration.yaml
  cd "$BATS_TEST_TMPDIR"
}

# The budget ends among the single perturbations of the controller's own
# deliveries and requests.
budget=45

# explore VARIANT [OPTION...]
explore() { vmreplay explore "$story" --variant "$1" --budget $budget --depth 1 "${@:2}"; }

@test "a search that finds something exits with 1 and writes scenarios that replay" {
  explore none --out found
  assert_exit 1
  assert_line --partial "live-migration, variant none: 2 causes found"
  assert_line --partial "no pod with label"
  assert_line --partial "has no spec.nodeName in the cache"
  local file
  for file in found/*.yaml; do
    # Its last line is the command that replays it.
    run --separate-stderr bash -c "$(tail -n 1 "$file" | sed "s|^# vmreplay|\"$VMREPLAY\"|")"
    assert_exit 0
    assert_line --partial "fail as expected"
    assert_line --partial "is-set-up: not true by"
  done
  vmreplay run found --repeat 20
  assert_exit 0
  assert_line "10 runs: 10 as expected, 0 unexpected"
}

@test "a search that finds nothing exits with 0 and leaves nothing" {
  explore wake --out found
  assert_exit 0
  assert_line --partial "variant wake: nothing found"
  assert [ ! -e found ]
}

@test "the story as it is written, red, is found without any perturbation" {
  story=$checkout/scenarios/vmim/target-pod-not-created.yaml
  explore none --first --out found
  assert_exit 1
  assert_line --partial "the order that is written"
  vmreplay run found
  assert_exit 0
}

@test "processes change nothing" {
  local one
  explore none --format json --jobs 1
  assert_exit 1
  one=$output
  explore none --format json --jobs 4
  assert_exit 1
  assert_equal "$output" "$one"
}

@test "shards together are the whole" {
  local whole shard
  explore none --format json
  whole=$(json 'd[0].findings.map(f => [f.id, f.runs, f.first, f.story].join(" "))')
  for shard in 1 2 3; do
    explore none --format json --shard "$shard/3"
    assert [ "$status" -le 1 ]
    echo "$output" >"$shard.json"
  done
  vmreplay merge ./*.json --format json
  assert_exit 1
  assert_equal "$(json 'd[0].findings.map(f => [f.id, f.runs, f.first, f.story].join(" "))')" "$whole"
  assert_equal "$(json 'd[0].schedules.written + d[0].schedules.singles')" "$budget"
  vmreplay merge 1.json 2.json
  assert_exit 2
  [[ $stderr == *"expected the reports of 3 shards"* ]] || fail "$stderr"
}

@test "what it covers and what it prunes" {
  explore none --format json
  assert_equal "$(json 'd[0].coverage.rules')" "$(printf '%s\n' \
    'kube-ovn-controller: deliver VirtualMachineInstanceMigration ADDED -> AddOrUpdateVMIMigration' \
    'kube-ovn-controller: deliver VirtualMachineInstanceMigration MODIFIED -> AddOrUpdateVMIMigration' \
    'kube-ovn-controller: its own work -> AddOrUpdateVMIMigration')"
  assert [ "$(json 'd[0].coverage.perturbed')" -gt 5 ]
  assert_equal "$(json 'd[0].pct.depth')" 1
}

@test "progress goes to standard error, as plain lines" {
  explore wake
  [[ $stderr =~ "live-migration: "[0-9]+" schedules in " ]] || fail "$stderr"
  [[ $stderr != *$'\r'* ]] || fail "$stderr"
}

# signalled SIGNAL OPTION...: the search that gets a signal with all of its process
# group, as from a terminal or a CI that ends a step. Its reports are in report and
# errors.
signalled() {
  local signal=$1
  shift
  set -m # with job control, what runs in the background is a group of its own
  "$VMREPLAY" explore "$story" --budget 1000000 --jobs 2 "$@" >report 2>errors 3>&- &
  local pid=$!
  until grep -q "schedules," errors; do sleep 0.2; done
  kill "-$signal" -- "-$pid"
  status=0
  wait $pid || status=$?
  set +m
}

@test "a signal to the group ends the search, and not the runs that go on" {
  local signal
  for signal in INT TERM; do
    signalled $signal --variant wake
    ((status == 0)) || fail "$signal: exit $status: $(cat report errors)"
    grep -q "variant wake: nothing found, ended early" report || fail "$signal: $(cat report errors)"
  done
}

@test "a signal to the group ends the search of a source tree, and not the runs that go on" {
  load gate
  story=$portmover_scenarios/same-node.yaml
  local signal
  for signal in INT TERM; do
    signalled $signal "${portmover[@]}" --variant all
    ((status == 0)) || fail "$signal: exit $status: $(cat report errors)"
    grep -q "variant all: nothing found, ended early" report || fail "$signal: $(cat report errors)"
  done
}

@test "a source tree is searched, and what is found replays on it" {
  load gate
  story=$portmover_scenarios/target-pod-not-created.yaml
  explore all "${portmover[@]}" --budget 20 --jobs 2 --out found
  assert_exit 1
  assert_line --partial "target-pod-not-created, variant all: 1 cause found"
  assert_line --partial "there is no target pod"
  grep -q "^# .*vmreplay explore .*--tree .*--patches " found/*.yaml
  vmreplay run found "${portmover[@]}"
  assert_exit 0
  vmreplay run found "${portmover[@]}" --variant without-retry-missing-pod
  assert_exit 0
  run --separate-stderr bash -c "$(tail -n 1 found/*.yaml | sed "s|^# vmreplay|\"$VMREPLAY\"|")"
  assert_exit 0
  assert_line --partial "fail as expected"
}

@test "a set of patches that there is not" {
  load gate
  refuses 'did you mean "all"?' -- "$portmover_scenarios" "${portmover[@]}" --variant al
}

@test "the code that no schedule reached is the same for one process and for two" {
  make -C "$checkout" build-cover
  VMREPLAY=$checkout/bin/vmreplay-cover
  explore wake --jobs 1 --coverage one
  assert_exit 0
  assert_line --regexp '^code: [1-9][0-9]* of [1-9][0-9]* blocks reached, see go tool cover -html=one/profile.txt$'
  assert_line --regexp '^  not all of github.com/vmreplay/vmreplay/sim/controllers/vmim/wake.go: lines [0-9]'
  assert_line "  nothing of github.com/vmreplay/vmreplay/sim/controllers/kvvm/build.go"
  local one
  one=$(sed -n 's/, see .*//; /^code:/,$p' <<<"$output")
  explore wake --jobs 2 --coverage two
  assert_equal "$(sed -n 's/, see .*//; /^code:/,$p' <<<"$output")" "$one"
  vmreplay explore "$story" --variant wake --coverage two
  assert_exit 2
  [[ $stderr == *"expected an empty folder, or none, at two"* ]] || fail "$stderr"
}

@test "--for ends a search with the report so far" {
  vmreplay explore "$story" --variant wake --for 2s --jobs 1
  assert_exit 0
  assert_line --partial "variant wake: nothing found, ended early"
}

# refuses WORD -- ARGUMENT...: bad input is one line, and nothing is run.
refuses() {
  local word=$1
  vmreplay explore "${@:3}"
  assert_exit 2
  assert_equal "$output" ""
  assert_equal "$(wc -l <<<"$stderr")" 1
  [[ $stderr == *"$word"* ]] || fail "expected \"$word\" in: $stderr"
}

@test "no path" { refuses "requires at least 1 arg" -- --variant none; }
@test "no variant" { refuses '"variant" not set' -- "$story"; }
@test "a misspelt variant" { refuses 'did you mean "both"?' -- "$story" --variant bth; }
@test "a shard that there is not" { refuses "--shard: expected i/n with i from 1 to n" -- "$story" --variant none --shard 5/4; }
@test "no budget" { refuses "--budget: expected a number from 1 on, found 0" -- "$story" --variant none --budget 0; }
@test "an unknown format" { refuses 'did you mean "json"?' -- "$story" --variant none --format jsn; }
@test "a vmreplay that counts nothing" { refuses "make build-cover" -- "$story" --variant none --coverage c; }
@test "no such file" { refuses "there is no such file" -- nowhere.yaml --variant none; }

@test "a job that failed early has found nothing, and does not count" {
  echo '[]' >empty.json
  vmreplay merge empty.json
  assert_exit 2
  [[ $stderr == *"empty.json: expected a report of vmreplay explore --format json: found no report in it"* ]] || fail "$stderr"
}

@test "a report that is none" {
  echo '{"a":' >bad.json
  vmreplay merge bad.json
  assert_exit 2
  [[ $stderr == *"bad.json: expected a report of vmreplay explore"* ]] || fail "$stderr"
}
