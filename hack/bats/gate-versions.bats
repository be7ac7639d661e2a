# The fixture tree on every line of client-go from 0.34 to 0.37, without a change of
# the tree: each is a go.mod of its own.

setup() {
  load helpers
  load gate
}

# replays FLAG...: a case that the patches own is red without its patch, and green
# with all of them.
replays() {
  local case=$portmover_scenarios/target-pod-not-created.yaml
  vmreplay run "${portmover[@]}" "$@" --variant without-retry-missing-pod "$case"
  assert_exit 0
  assert_line --regexp '^target-pod-not-created +without-retry-missing-pod +fail +expected'
  vmreplay run "${portmover[@]}" "$@" "$case"
  assert_exit 0
  assert_line --regexp '^target-pod-not-created +all +pass +expected'
}

@test "client-go 0.34" { replays; }
@test "client-go 0.35" { replays --modfile go-0.35.mod; }
@test "client-go 0.36" { replays --modfile go-0.36.mod; }
@test "client-go 0.37" { replays --modfile go-0.37.mod; }

@test "each go.mod has the version that it is called after" {
  local version
  for version in 0.35 0.36 0.37; do
    grep -q "k8s.io/client-go v$version\." "$checkout/fixtures/tree/go-$version.mod" || fail "$version"
  done
  grep -q 'k8s.io/client-go v0.34\.' "$checkout/fixtures/tree/go.mod"
}
