# What README.md shows is what the commands print.

setup() {
  load helpers
  cd "$BATS_TEST_DIRNAME/../.."
}

# blocks: the README's console blocks, one file each: the command in N.cmd, what
# it prints in N.out.
blocks() {
  awk -v dir="$BATS_TEST_TMPDIR" '
    /^```console$/ { inside = 1; n++; next }
    /^```$/ { inside = 0; next }
    inside && /^\$ / { print substr($0, 3) > (dir "/" n ".cmd"); next }
    inside { print > (dir "/" n ".out") }
  ' README.md
}

@test "every console block of the README is what the command prints" {
  blocks
  local block count=0
  for block in "$BATS_TEST_TMPDIR"/*.cmd; do
    run bash -c "$(sed "s|^bin/vmreplay|\"$VMREPLAY\"|" "$block")"
    # show prints the verdict below the timeline; the README leaves it out.
    [[ $(<"$block") != *" show "* ]] || output=$(sed '/^$/,$d' <<<"$output")
    assert_equal "$output" "$(<"${block%.cmd}.out")"
    count=$((count + 1))
  done
  assert_equal "$count" 4
}

@test "the README names every command" {
  local command
  for command in run matrix show explore merge validate watch explain new schema completion version; do
    grep -q "vmreplay $command" README.md || fail "$command is not in README.md"
  done
}
