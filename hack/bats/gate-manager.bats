# A controller that is written with controller-runtime, in a tree of its own: the
# second style that bind knows. Its go.mod has controller-runtime 0.22, which is on
# client-go 0.34; there is one more for each line of client-go up to 0.37.

setup() {
  load helpers
  load gate
  manager=(--tree "$checkout/fixtures/manager" --package ./annotate)
  binding=$checkout/fixtures/bindings/nodenote_test.go.txt
  series="$checkout/fixtures/manager/patches/*.diff"
  scenarios=$checkout/fixtures/manager/scenarios
}

# repeats FLAG...: a case that a patch owns is red without it, the whole pack is green
# with all of them, and every run is the same.
repeats() {
  vmreplay run "${manager[@]}" --binding "$binding" --patches "$series" "$@" \
    --variant without-retry-unknown-node --repeat 3 "$scenarios/node-unknown.yaml"
  assert_exit 0
  assert_line --regexp '^node-unknown +without-retry-unknown-node +fail +expected'
  vmreplay run "${manager[@]}" --binding "$binding" --patches "$series" "$@" --repeat 3 "$scenarios"
  assert_exit 0
  assert_line --regexp '^bound-later +all +pass +expected'
  assert_line --regexp '^node-unknown +all +pass +expected'
  assert_line --regexp '^note-removed +all +pass +expected'
}

@test "controller-runtime 0.22" { repeats; }
@test "controller-runtime 0.23" { repeats --modfile go-0.35.mod; }
@test "controller-runtime 0.24" { repeats --modfile go-0.36.mod; }
@test "controller-runtime 0.25" { repeats --modfile go-0.37.mod; }

@test "each patch of the manager owns its case, and the last one moves code only" {
  gate "${manager[@]}" --binding "$binding" --patches "$series" --scenarios "$scenarios" --variants none,each-out,all
  assert_exit 1
  assert_line --regexp '^bound-later +green +green +green +green +green$'
  assert_line --regexp '^node-unknown +red +red +green +green +green$'
  assert_line --regexp '^note-removed +red +green +red +green +green$'
  assert_line --regexp '^retry-unknown-node +node-unknown$'
  assert_line --regexp '^watch-the-notes +note-removed$'
  assert_line --regexp '^name-the-writing +nothing: inert'
  gate "${manager[@]}" --binding "$binding" --patches "$series" --scenarios "$scenarios" --variants none,each-out,all \
    --allow-inert name-the-writing
  assert_exit 0
}

@test "each go.mod of the manager has the version that it is called after, and the controller-runtime for it" {
  local version pair
  for pair in 0.35:0.23 0.36:0.24 0.37:0.25; do
    version=${pair%:*}
    grep -q "k8s.io/client-go v$version\." "$checkout/fixtures/manager/go-$version.mod" || fail "$version"
    grep -q "sigs.k8s.io/controller-runtime v${pair#*:}\." "$checkout/fixtures/manager/go-$version.mod" || fail "$pair"
  done
  grep -q 'k8s.io/client-go v0.34\.' "$checkout/fixtures/manager/go.mod"
  grep -q 'sigs.k8s.io/controller-runtime v0.22\.' "$checkout/fixtures/manager/go.mod"
}

@test "a binding to start from in the style of controller-runtime compiles, serves and runs" {
  vmreplay bind "${manager[@]}" --style controller-runtime --out "$BATS_TEST_TMPDIR/binding_test.go"
  assert_exit 0
  # It builds no controller yet: the manager runs, and nothing is annotated.
  mkdir "$BATS_TEST_TMPDIR/scenarios"
  sed 's/name: nodenote, type/name: annotate, type/; s/process: nodenote/process: annotate/' \
    "$scenarios/bound-later.yaml" >"$BATS_TEST_TMPDIR/scenarios/bound-later.yaml"
  vmreplay run "${manager[@]}" --binding "$BATS_TEST_TMPDIR/binding_test.go" "$BATS_TEST_TMPDIR/scenarios" --verbose
  assert_exit 1
  assert_output --partial 'annotated: not true within 1s'
  [[ $output != *'ended by itself'* ]] || fail "$output"
}
