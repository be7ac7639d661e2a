# What README.md shows is what the commands print, and every shell block of it
# runs.

setup_file() {
  load helpers
  load gate
  # The go command keeps its modules, wherever HOME is.
  GOMODCACHE=$(go env GOMODCACHE)
  export GOMODCACHE
}

setup() {
  load helpers
  cd "$checkout"
}

# blocks LANGUAGE: the README's blocks of a language, without their indentation,
# one file each: LANGUAGE.01, LANGUAGE.02, ...
blocks() {
  awk -v dir="$BATS_TEST_TMPDIR" -v language="$1" '
    !inside && $1 == "```" language { inside = 1; match($0, /^ */); indent = RLENGTH; file = sprintf("%s/%s.%02d", dir, language, ++n); next }
    inside && $1 == "```" { inside = 0; close(file); next }
    inside { print substr($0, indent + 1) > file }
  ' README.md
}

# here is a command of the README, with the program under test.
here() { sed "s|^bin/vmreplay|\"$VMREPLAY\"|" <<<"$1"; }

# workplace makes the folders in which the shell blocks are typed: a copy of the
# pack for the built-in controllers, and a folder of somebody who has a controller
# in ~/portmover, a series of patches and scenarios.
workplace() {
  pack=$BATS_TEST_TMPDIR/pack own=$BATS_TEST_TMPDIR/own
  mkdir -p "$pack" "$own/patches" "$BATS_TEST_TMPDIR/home" "$BATS_TEST_TMPDIR/path"
  cp -r scenarios fixtures "$pack/"
  cp -r fixtures/tree/scenarios "$own/"
  cp fixtures/patches/* "$own/patches/"
  export HOME=$BATS_TEST_TMPDIR/home PATH=$BATS_TEST_TMPDIR/path:$PATH
  cp -r fixtures/tree "$HOME/portmover"
  ln -s "$VMREPLAY" "$BATS_TEST_TMPDIR/path/vmreplay"
}

# types FOLDER COMMAND: it ends with 0, or, if it is a search, with 1 because it
# found something.
types() {
  run --separate-stderr bash -c "cd '$1' && $2"
  [[ $status -eq 0 || ($status -eq 1 && $2 == "vmreplay explore "*) ]] || fail "$2: exit code $status: $output$stderr"
}

# watched FOLDER COMMAND: it serves a report until it is interrupted.
watched() {
  local said=$BATS_TEST_TMPDIR/watched pid
  # exec, so that the process that is interrupted is the command itself.
  bash -c "cd '$1' && exec $2" >"$said" 2>&1 3>&- &
  pid=$!
  timeout 20 bash -c "until grep -q 'the report is at' '$said'; do sleep 0.1; done" || fail "$(cat "$said")"
  kill -INT "$pid"
  wait "$pid"
}

@test "every console block of the README is what the command prints" {
  blocks console
  local block command count=0
  for block in "$BATS_TEST_TMPDIR"/console.*; do
    command=$(sed -n '1s/^\$ //p' "$block")
    run bash -c "$(here "$command")"
    # show prints the verdict below the timeline; the README leaves it out.
    [[ $command != *" show "* ]] || output=$(sed '/^$/,$d' <<<"$output")
    assert_equal "$output" "$(tail -n +2 "$block")"
    count=$((count + 1))
  done
  assert_equal "$count" 5
}

@test "every shell block of the README runs" {
  workplace
  blocks sh
  local line count=0
  while IFS= read -r line; do
    line=${line%%  # *} # what stands behind a command for the reader
    case $line in
    "make test"*) make --dry-run test >/dev/null ;; # it is what runs this
    "make run"*)
      types "$checkout" "$line"
      [[ $stderr == *"wrote out/report.html"* ]] || fail "$stderr"
      [[ -s out/report.html ]]
      ;;
    "vmreplay bind "*)
      types "$own" "$line"
      # The reader fills it in.
      cp fixtures/bindings/portmover_test.go.txt "$own/binding_test.go"
      ;;
    # Fewer schedules: the search itself has suites of its own.
    "vmreplay explore "*--tree*) types "$own" "$line --budget 60" ;;
    "vmreplay "*--tree*) types "$own" "$line" ;;
    "vmreplay watch "*) watched "$pack" "$line" ;;
    "vmreplay "*) types "$pack" "$line" ;;
    *) fail "nothing here runs: $line" ;;
    esac
    count=$((count + 1))
  done < <(cat "$BATS_TEST_TMPDIR"/sh.*)
  assert_equal "$count" 8
}

@test "what the README shows of a search is what it prints" {
  workplace
  blocks text
  types "$pack" 'vmreplay explore scenarios/vmim/live-migration.yaml --variant scheduling-retry --out found'
  local line
  while IFS= read -r line; do
    [[ $line == "  ..." ]] || grep -qxF -- "$line" <<<"$output" || fail "it does not print: $line"
  done <"$BATS_TEST_TMPDIR/text.01"
}

@test "every run of the README can be had as JSON" {
  workplace
  blocks console
  blocks sh
  local command count=0
  while IFS= read -r command; do
    types "$pack" "$(sed 's|^bin/||' <<<"$command") --format json"
    [[ $(json 'd.ok') == true ]] || fail "$command: $output"
    count=$((count + 1))
  done < <(sed -nE 's/^(\$ )?((bin\/)?vmreplay (run|matrix) .*)/\2/p' "$BATS_TEST_TMPDIR"/{console,sh}.* | grep -v -- --tree)
  assert_equal "$count" 3
}

@test "the steps of README's workflow run" {
  local steps=$BATS_TEST_TMPDIR/steps
  sed -n '/^## In CI$/,/^## /s/^- run: //p' README.md >"$steps"
  assert_equal "$(wc -l <"$steps")" 3
  cd "$BATS_TEST_TMPDIR"
  mkdir bin
  ln -s "$VMREPLAY" bin/vmreplay
  printf 'build:\n' >Makefile # it is built already
  GITHUB_STEP_SUMMARY=$BATS_TEST_TMPDIR/github.md run --separate-stderr bash -e "$steps"
  assert_success
  assert_equal "$(ls out)" "$(printf '%s\n' junit.xml report.html summary.md)"
  grep -q same-node github.md
}

@test "the README names every command" {
  local command count=0
  for command in $("$VMREPLAY" __complete '' 2>/dev/null | sed -n 's/	.*//p'); do
    [[ $command == help ]] || grep -q "vmreplay $command" README.md || fail "$command is not in README.md"
    count=$((count + 1))
  done
  ((count > 10))
}
