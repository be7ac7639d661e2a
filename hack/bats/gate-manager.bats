# A controller that is written with controller-runtime, in a tree of its own: the
# second style that bind knows. Its go.mod has controller-runtime 0.22, which is on
# client-go 0.34; there is one more for each line of client-go up to 0.37.

setup() {
  load helpers
  load gate
  manager=(--tree "$checkout/fixtures/manager" --package ./annotate)
}

# repeats FLAG...: the control is green, and every run of it is the same.
repeats() {
  vmreplay run "${manager[@]}" --binding "$checkout/fixtures/bindings/nodenote_test.go.txt" --repeat 5 "$@" \
    "$checkout/fixtures/manager/scenarios/bound-later.yaml"
  assert_exit 0
  assert_line --regexp '^bound-later +none +pass +expected'
}

@test "controller-runtime 0.22" { repeats; }
@test "controller-runtime 0.23" { repeats --modfile go-0.35.mod; }
@test "controller-runtime 0.24" { repeats --modfile go-0.36.mod; }
@test "controller-runtime 0.25" { repeats --modfile go-0.37.mod; }

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
    "$checkout/fixtures/manager/scenarios/bound-later.yaml" >"$BATS_TEST_TMPDIR/scenarios/bound-later.yaml"
  vmreplay run "${manager[@]}" --binding "$BATS_TEST_TMPDIR/binding_test.go" "$BATS_TEST_TMPDIR/scenarios" --verbose
  assert_exit 1
  assert_output --partial 'annotated: not true within 1s'
  [[ $output != *'ended by itself'* ]] || fail "$output"
}
