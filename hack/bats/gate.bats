# vmreplay gate: which patch owns which case, and what keeps the gate closed.

setup() {
  load helpers
  load gate
  small
}

# cells prints the JSON report as "scenario set colour".
cells() { json 'd.runs.map(r => `${r.scenario} ${r.set} ${r.green ? "green" : "red"}`)'; }

# red_sets SCENARIO prints the sets with which it is red, in one line.
red_sets() { cells | awk -v s="$1" '$1 == s && $3 == "red" { print $2 }' | xargs; }

@test "the ownership matrix of the fixture tree is the seeds'" {
  gate "${portmover[@]}" --scenarios "$portmover_scenarios" --allow-inert name-the-phase --format json
  assert_exit 0
  local node='none only-retry-missing-pod only-name-the-phase without-retry-unknown-node'
  assert_equal "$(red_sets target-pod-not-created)" 'none only-retry-unknown-node only-name-the-phase without-retry-missing-pod'
  assert_equal "$(red_sets source-node-unknown)" "$node"
  assert_equal "$(red_sets target-node-unknown)" "$node"
  assert_equal "$(red_sets both-nodes-unknown)" "$node"
  assert_equal "$(red_sets already-scheduled)" ''
  assert_equal "$(red_sets same-node)" ''
  assert_equal "$(json 'd.patches.map(p => p.patch + ": " + p.owns.join(" "))')" \
    'retry-unknown-node: both-nodes-unknown source-node-unknown target-node-unknown
retry-missing-pod: target-pod-not-created
name-the-phase: '
}

@test "a refactoring is inert, and closes the gate unless it is allowed" {
  gate "${portmover[@]}" --scenarios "$portmover_scenarios/same-node.yaml" --scenarios "$portmover_scenarios/source-node-unknown.yaml" \
    --scenarios "$portmover_scenarios/target-pod-not-created.yaml"
  assert_exit 1
  assert_line --regexp '^name-the-phase +nothing: inert$'
  assert_line --regexp '^inert-patch: .*0003-name-the-phase.diff changes no verdict'
  vmreplay run "$portmover_scenarios/same-node.yaml"
  assert_exit 2
  assert_equal "$stderr" 'the scenarios are of a controller in its own source tree: expected --tree, --package and --binding'
}

@test "an open gate" {
  small_gate
  assert_exit 0
  assert_line --regexp '^source +source$'
  assert_line --regexp '^target +target$'
}

@test "a patch that is allowed to be inert, but is not, closes the gate" {
  small_gate --allow-inert source
  assert_exit 1
  assert_line --partial 'listed under --allow-inert, but changes the verdict of source'
}

@test "a control that turns red closes the gate" {
  small_scenario calm 'true'
  sed -i "s/eventually: 'true'/never: 'port(\"vm.default\").options[\"requested-chassis\"] == \"node-a,node-b\"'/; /within/d" "$work/scenarios/calm.yaml"
  small_gate
  assert_exit 1
  assert_line --partial 'control: calm is a control, but red with patch set all'
}

@test "a verdict that is not the one written down closes the gate" {
  sed -i 's/without-source/without-target/' "$work/scenarios/source.yaml"
  small_gate
  assert_exit 1
  assert_line --partial 'verdict: source, patch set only-target: expected green, found red by moved'
}

@test "--variants chooses the patch sets" {
  small_gate --variants none,all --format json
  assert_exit 0
  assert_equal "$(json '[...new Set(d.runs.map(r => r.set))]')" $'none\nall'
  small_gate --variants each-owt
  refused 'each-owt' 'did you mean "each-out"'
}

@test "the formats" {
  small_gate --format markdown
  assert_exit 0
  assert_line '| source | red | green | red | green |'
  assert_line '| target | target |'
  small_gate --format junit
  assert_exit 0
  assert_line --partial 'classname="gate.every patch changes a verdict" name="source"'
  small_gate --format yaml
  refused '--format' 'yaml'
}

@test "reports beside what is printed, of the same runs" {
  small_gate
  local printed=$output
  small_gate --report "html=$work/gate.html,junit=$work/gate.xml,json=$work/gate.json" \
    --report "trace=$work/trace.json,markdown=$work/gate.md"
  assert_exit 0
  grep -q '"ph":"X"' "$work/trace.json" || fail "no slices: $(head -c 200 "$work/trace.json")"
  grep -q 'only-source' "$work/gate.md" || fail "$(cat "$work/gate.md")"
  assert_equal "$output" "$printed"
  grep -q '<!doctype html>' "$work/gate.html" || fail "no page: $(head -c 200 "$work/gate.html")"
  local set index
  # The page's index is compressed.
  index=$(node -e '
    const [, data] = /id="index">([^<]*)</.exec(require("fs").readFileSync(process.argv[1], "utf8"))
    console.log(require("zlib").gunzipSync(Buffer.from(data.trim(), "base64url")).toString())
  ' "$work/gate.html")
  for set in none only-source only-target all; do
    grep -q "name=\"$set\"" "$work/gate.xml" || fail "no case of $set in $(cat "$work/gate.xml")"
    [[ $index == *"\"$set\""* ]] || fail "the page does not show $set: $index"
  done
  # The command that repeats a run names the tree.
  grep -q -- '--tree' "$work/gate.json"
}

@test "reports of a gate that stays closed" {
  small_gate --allow-inert source --report "junit=$work/gate.xml,html=$work/gate.html"
  assert_exit 1
  [[ -s $work/gate.html && -s $work/gate.xml ]]
  grep -q '<testsuites [^>]*failures="1"' "$work/gate.xml"
  grep -q 'listed under --allow-inert' "$work/gate.xml"
  small_gate --report "jnit=$work/other.xml"
  refused --report junit
  [[ ! -e $work/other.xml ]]
}

@test "a second run builds nothing, and says the same" {
  # Other tests build the same tree: this one counts from an empty cache.
  export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache
  counting_go
  small_gate
  assert_exit 0
  local first=$output
  assert_equal "$(wc -l <"$builds")" 4
  small_gate
  assert_exit 0
  assert_equal "$output" "$first"
  assert_equal "$(wc -l <"$builds")" 4
}

@test "runs in processes of their own, or side by side, are the same runs" {
  small_gate --format json
  local first=$output
  small_gate --format json --isolate
  assert_equal "$output" "$first"
  small_gate --format json --jobs 4
  assert_equal "$output" "$first"
}

@test "the tree is clean afterwards, and no file of it was touched" {
  (cd "$work/tree" && git init -q && git add . && git -c user.name=x -c user.email=x@example.org commit -qm x)
  local before
  before=$(look "$work/tree")
  small_gate
  assert_exit 0
  assert_equal "$(look "$work/tree")" "$before"
  assert_equal "$(git -C "$work/tree" status --porcelain)" ""
}

@test "a tree that can only be read" {
  chmod -R a-w "$work/tree"
  small_gate
  chmod -R u+w "$work/tree"
  assert_exit 0
}

@test "from another folder, with relative paths" {
  cd "$work/scenarios"
  gate --tree ../tree --package ctl --binding ../binding_test.go --patches '../patches/*.diff' --scenarios .
  assert_exit 0
}

@test "nothing is written but to --out and the caches" {
  local before
  mkdir "$BATS_TEST_TMPDIR/tmp"
  before=$(look "$work")
  TMPDIR=$BATS_TEST_TMPDIR/tmp small_gate --out "$BATS_TEST_TMPDIR/report.md" --format markdown
  assert_exit 0
  assert_equal "$output" ""
  assert_equal "$(look "$work")" "$before"
  assert_equal "$(ls -A "$BATS_TEST_TMPDIR/tmp")" ""
  grep -q '| source |' "$BATS_TEST_TMPDIR/report.md"
}

@test "the wrapper passes flags and exit codes on" {
  run "$checkout/hack/gate.sh" "${small_flags[@]}" --scenarios "$work/scenarios"
  assert_success
  run "$checkout/hack/gate.sh" "${small_flags[@]}" --scenarios "$work/scenarios" --allow-inert source
  assert_failure 1
}

@test "vmreplay run takes the tree, and one set of patches" {
  vmreplay run "${small_flags[@]}" "$work/scenarios"
  assert_exit 0
  assert_line --regexp '^source +all +pass +expected'
  vmreplay run "${small_flags[@]}" --variant only-source "$work/scenarios"
  assert_exit 0
  assert_line --regexp '^target +only-source +fail +expected'
  vmreplay run "${small_flags[@]}" --variant only-sauce "$work/scenarios"
  refused only-sauce 'did you mean "only-source"'
}

@test "the command that repeats a run of the tree does so" {
  vmreplay run "${small_flags[@]}" --variant none "$work/scenarios/source.yaml" --verbose
  assert_exit 0
  local again
  again=$(grep -o 'vmreplay show .*' <<<"$output")
  run bash -c "${again/#vmreplay/\"\$VMREPLAY\"}"
  assert_success
  assert_line --regexp 'small +start'
  assert_line --partial 'set-migrate-options'
}

@test "a scenario for a tree can be checked without it" {
  vmreplay validate "$work/scenarios"
  assert_exit 0
}

@test "bind writes a file that serves, and replaces none" {
  vmreplay bind --tree "$checkout/fixtures/tree" --package ./migration --out "$work/new_test.go"
  assert_exit 0
  grep -q '^package migration$' "$work/new_test.go"
  vmreplay bind --tree "$checkout/fixtures/tree" --package ./migration --out "$work/new_test.go"
  refused 'is there already: nothing was written'
}

@test "the gate in the README is what the command prints" {
  cd "$checkout"
  local block
  block=$(sed -n '/^   ```console$/,/^   ```$/{s/^   //; /^```/d; p}' README.md)
  local command
  command=$(sed -n '1s/^\$ //p' <<<"$block")
  [[ $command == hack/gate.sh* ]] || fail "no call of hack/gate.sh in: $block"
  run bash -c "$command"
  assert_success
  assert_output "$(tail -n +2 <<<"$block")"
}
