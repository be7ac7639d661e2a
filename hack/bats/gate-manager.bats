# A controller that is written with controller-runtime 0.22, on client-go 0.34, in a
# tree of its own: the second style that bind knows.

setup() {
  load helpers
  load gate
  manager=(--tree "$checkout/fixtures/manager" --package ./annotate)
}

@test "a manager runs in its own tree, and every run is the same" {
  vmreplay run "${manager[@]}" --binding "$checkout/fixtures/bindings/nodenote_test.go.txt" --repeat 5 \
    "$checkout/fixtures/manager/scenarios"
  assert_exit 0
  assert_line --regexp '^bound-later +none +pass +expected'
}

@test "a binding to start from in the style of controller-runtime compiles, serves and runs" {
  vmreplay bind "${manager[@]}" --style controller-runtime --out "$BATS_TEST_TMPDIR/binding_test.go"
  assert_exit 0
  # It builds no controller yet: the manager runs, and nothing is annotated.
  mkdir "$BATS_TEST_TMPDIR/scenarios"
  sed 's/name: nodenote, type/name: annotate, type/; s/process: nodenote/process: annotate/' \
    "$checkout/fixtures/manager/scenarios/bound-later.yaml" >"$BATS_TEST_TMPDIR/scenarios/bound-later.yaml"
  vmreplay run "${manager[@]}" --binding "$BATS_TEST_TMPDIR/binding_test.go" "$BATS_TEST_TMPDIR/scenarios" --verbose
  assert_exit 1
  assert_output --partial 'annotated: not true within 1s'
  [[ $output != *'ended by itself'* ]] || fail "$output"
}
