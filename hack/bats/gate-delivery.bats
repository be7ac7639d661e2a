# The checks of hack/gate, for repositories that carry patches.

setup() {
  load helpers
  checks=$checkout/hack/gate
  cd "$BATS_TEST_TMPDIR"
}

@test "every declared test ran" {
  printf '@test "one" {\n}\n@test "two" {\n}\n' >a.bats
  run "$checks/every-test-ran.sh" a.bats <<<$'1..2\nok 1 one\nok 2 two'
  assert_success
  run "$checks/every-test-ran.sh" a.bats <<<$'1..2\nok 1 one'
  assert_failure 1
  assert_output --partial 'expected 2 tests'
  assert_output --partial 'found 1'
  run "$checks/every-test-ran.sh"
  assert_failure 2
}

@test "two titles that differ in punctuation only" {
  printf '@test "a-b" {\n}\n@test "a b" {\n}\n' >a.bats
  run "$checks/every-test-ran.sh" a.bats <<<$'ok 1 a-b\nok 2 a b'
  assert_failure 1
  assert_output --partial a_b
}

@test "the suites of this repository ran as declared: titles are unique" {
  local file
  for file in "$checkout"/hack/bats/gate*.bats; do
    run "$checks/every-test-ran.sh" "$file" < <(grep '^@test' "$file" | sed 's/.*/ok 1 x/')
    assert_success
  done
}

@test "go test -run names whole tests" {
  printf "RUN go test ./pkg -run '^TestX\$'\n" >Dockerfile
  run "$checks/anchored-run.sh" Dockerfile
  assert_success
  printf "RUN go test ./pkg -run TestX\nRUN go test -run '^TestX\$/case' ./pkg\n" >Dockerfile
  run "$checks/anchored-run.sh" Dockerfile
  assert_failure 1
  assert_line --partial 'Dockerfile:1: expected'
  assert_line --partial 'Dockerfile:2: expected'
  echo 'RUN true' >Dockerfile
  run "$checks/anchored-run.sh" Dockerfile
  assert_failure 1
}

@test "the build matrix selects every package with an image" {
  mkdir -p packages/a packages/b packages/c
  printf 'image:\n\ttrue\n' | tee packages/a/Makefile >packages/b/Makefile
  printf 'image := x\nchart:\n' >packages/c/Makefile
  run "$checks/build-matrix.sh" packages sed 's|/[^/]*$||'
  assert_success
  run "$checks/build-matrix.sh" packages sed -n 's|\(packages/a\)/.*|\1|p'
  assert_failure 1
  assert_output 'packages/b: it has a target image, but a change of packages/b/some.diff selects nothing'
  run "$checks/build-matrix.sh" packages false
  assert_failure 1
  run "$checks/build-matrix.sh" nowhere cat
  assert_failure 2
}
