# What is wrong with a tree, a binding or a series of patches: exit code 2, before
# anything is run, in the words of git or the compiler.

setup() {
  load helpers
  load gate
  small
}

@test "flags that are missing" {
  gate --binding "$work/binding_test.go" --scenarios "$work/scenarios"
  refused --tree
  gate --tree "$work/tree" --scenarios "$work/scenarios"
  refused --binding 'vmreplay bind'
  gate "${small_flags[@]}"
  refused --scenarios
}

@test "a patch that does not apply" {
  sed -i 's/nowhere/elsewhere/' "$work/patches/0002-target.diff"
  small_gate
  refused 0002-target.diff 'error: patch failed: ctl/ctl.go:8'
}

@test "patches are applied in the order of their names, as in one git apply" {
  # The second patch changes what the first one leaves.
  sed -i 's/-.*return "node-a"/x/; s/"nowhere"/"node-a"/; s/+\treturn "node-b"/+\treturn "node-c"/; s/Target/Source/g; s/goes to/leaves/; s/-8,4 +8,4/-3,4 +3,4/' "$work/patches/0002-target.diff"
  rm "$work/scenarios/target.yaml"
  small_gate --variants all --format json
  [[ $stderr != *'does not apply'* ]] || fail "$stderr"
  mv "$work/patches/0002-target.diff" "$work/patches/0000-target.diff"
  small_gate --variants all
  refused 0000-target.diff 'patch failed'
}

@test "trailing white space in a patch" {
  sed -i 's/+\treturn "node-b"/&  /' "$work/patches/0002-target.diff"
  small_gate
  refused 'apply --check --whitespace=error 0002-target.diff' 'trailing whitespace'
}

@test "a backport that is not its upstream commit, byte for byte" {
  local patch="$work/patches/0001-source.diff"
  sed '1,/^$/d' "$patch" >"$patch.upstream"
  sed -i '1a\\nUpstream-Commit: 0123abcd' "$patch"
  small_gate --variants all
  assert_exit 0
  sed -i 's/@@ -3,4 +3,4 @@/@@ -3,4 +3,4 @@ package ctl/' "$patch"
  small_gate
  refused 0001-source.diff 0123abcd 'line 4 of the diff'
  rm "$patch.upstream"
  small_gate
  refused 0001-source.diff.upstream 'no such file'
}

@test "two patches of one name" {
  cp "$work/patches/0001-source.diff" "$work/patches/0003-source.diff"
  small_gate
  refused 0003-source.diff 'both called "source"'
}

@test "a pattern that matches nothing" {
  gate "${small_flags[@]}" --patches "$work/*.diff" --scenarios "$work/scenarios"
  refused --patches 'no file matches'
}

@test "a tree that does not compile" {
  printf 'package ctl\n\nvar x int = "text"\n' >"$work/tree/ctl/broken.go"
  small_gate
  refused 'patch set none' broken.go:3:13 'cannot use "text"'
}

@test "a patch after which the tree does not compile" {
  sed -i 's/+\treturn "node-b"/+\treturn 7/' "$work/patches/0002-target.diff"
  small_gate
  refused 'patch set only-target' 'ctl/ctl.go (patched):10:9' 'cannot use 7'
}

@test "a binding that names a missing symbol" {
  sed -i 's/Source()/Origin()/' "$work/binding_test.go"
  small_gate
  refused 'patch set none' binding_test.go:15 'undefined: Origin'
}

@test "a binding without a test" {
  sed -i 's/TestSmall/small/' "$work/binding_test.go"
  small_gate
  refused 'expected one test'
}

@test "a package without Go files" {
  mkdir "$work/tree/empty"
  gate --tree "$work/tree" --package ./empty --binding "$work/binding_test.go" --scenarios "$work/scenarios"
  refused 'patch set none' 'no Go files'
}

@test "a process that the binding does not serve" {
  sed -i 's/name: small, type/name: smaller, type/' "$work/scenarios/target.yaml"
  small_gate
  refused 'target.yaml:5:15' 'serves (small)' smaller
}

@test "a verdict for a patch that is not there" {
  sed -i 's/without-target/without-tarmac/' "$work/scenarios/target.yaml"
  small_gate
  refused 'target.yaml:13:9' 'did you mean "without-target"'
}

@test "an unknown patch under --allow-inert" {
  small_gate --allow-inert sauce
  refused --allow-inert 'did you mean "source"'
}
