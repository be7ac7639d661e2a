# Where the output cannot go: a full disk, a folder where a file should be, a
# folder that may not be written. One line says so, nothing is there by half, and
# what was there before still is.

setup() {
  load helpers
  file=$(new_scenario)
  out=$BATS_TEST_TMPDIR/out
  mkdir "$out"
}

# full ARGUMENT...: the command on a disk that takes files of 1 KiB. Reaching the
# limit is, for the program, the same failed write as a disk without space.
full() { run --separate-stderr bash -c "trap '' XFSZ; ulimit -f 1; exec \"\$@\"" bash "$VMREPLAY" "$@"; }

# unwritten PATH: bad output, of one line that names the path; and no file.
unwritten() {
  assert_exit 2
    assert_equal "$(grep -c 'was not written' <<<"$stderr")" 1
  [[ $stderr == *"$1"*" was not written: "*"file too large"* ]] || fail "$stderr"
}

# nothing_left: no file of any name, hidden ones too.
nothing_left() { assert_equal "$(find "$out" -type f)" ""; }

@test "standard output that is full ends every command with 2 and says so" {
  local line
  while read -ra line; do
    run --separate-stderr bash -c 'exec "$@" >/dev/full' bash "$VMREPLAY" "${line[@]}"
    assert_exit 2
    [[ $stderr == *"no space left on device"* ]] || fail "${line[*]}: $stderr"
  done <<END
run $file
run $file --format json
run $file --format junit
matrix $file
show $file --variant none
validate $file
explore $file --variant wake --budget 3 --jobs 1
explain
explain backoff
schema
version
--version
completion bash

help
help run
explore --help
completion --help
new
version --help
__complete run --variant
END
}

@test "a full disk leaves no half of any report" {
  local form
  for form in html junit trace markdown json; do
    full run "$checkout/scenarios/vmim" --quiet --report "$form=$out/report"
    unwritten "$out/report"
    nothing_left
  done
}

@test "a full disk leaves no half of a skeleton" {
  cd "$out"
  full new scenario my-story
  unwritten my-story.yaml
  nothing_left
}

@test "a full disk leaves no half of a binding" {
  # The go command, which bind asks, has filled its own cache then.
  vmreplay bind --tree "$checkout/fixtures/tree" --package ./migration
  assert_exit 0
  full bind --tree "$checkout/fixtures/tree" --package ./migration --out "$out/binding_test.go"
  unwritten "$out/binding_test.go"
  nothing_left
}

@test "a full disk leaves no half of a finding, and the search is not lost" {
  full explore "$(seed_file live-migration)" --variant scheduling-retry --budget 200 --jobs 1 --out "$out/found"
  unwritten "$out/found/"
  assert_output --partial 'live-migration, variant scheduling-retry: '
  refute_output --partial 'vmreplay run '
  nothing_left
}

@test "findings that have no place are told before the search" {
  local place
  for place in "$file" "$file/below" /proc/found; do
    vmreplay explore "$(seed_file live-migration)" --variant wake --out "$place"
    assert_exit 2
    assert_equal "$output" ""
    assert_equal "$(wc -l <<<"$stderr")" 1
    [[ $stderr == "--out: the folder $place cannot be "* ]] || fail "$stderr"
  done
}

@test "a gate's report that has no place is told before anything is built" {
  local place
  for place in "$out" "$file/below" /proc/gate.md; do
    HOME=$out vmreplay gate --tree "$checkout/fixtures/tree" --package ./migration \
      --binding "$checkout/fixtures/bindings/portmover_test.go.txt" --scenarios "$checkout/fixtures/tree/scenarios" --out "$place"
    assert_exit 2
    assert_equal "$output" ""
    [[ $stderr == "--out: "*"$place"* ]] || fail "$stderr"
    nothing_left
  done
}
