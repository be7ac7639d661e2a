# --quiet and --verbose, and what a shell completes.

setup() {
  load helpers
  file=$(new_scenario)
}

# red makes that scenario red for every variant, against what is written down.
red() { impossible_check >>"$file"; }

# completes WORD... -- ARGUMENT...: a shell that asks for what may follow the
# arguments is told these words, among others.
completes() {
  local words=() word
  while [[ $1 != -- ]]; do words+=("$1"); shift; done
  shift
  vmreplay __complete "$@"
  assert_exit 0
  for word in "${words[@]}"; do
    grep -qxE "$word(	.*)?" <<<"$output" || fail "\"$word\" does not follow \"$*\": $output"
  done
}

@test "every command that runs or checks something can be quiet, the same way" {
  local command
  for command in run matrix show explore gate validate; do
    vmreplay "$command" --help
    assert_output --regexp '-q, --quiet +[a-z]'
  done
  for command in run matrix gate validate; do
    vmreplay "$command" --help
    assert_output --regexp '-v, --verbose +[a-z]'
  done
}

@test "a quiet validate says only what is wrong, a verbose one names the files" {
  vmreplay validate "$file" --quiet
  assert_exit 0
  assert_equal "$output$stderr" ""
  vmreplay validate "$file" --verbose
  assert_exit 0
  assert_line "$file: valid, for 5 variants of vmim"
  echo 'unknown: 1' >>"$file"
  vmreplay validate "$file" -q
  assert_exit 2
  [[ $stderr == *"unknown field"* ]] || fail "$stderr"
}

@test "a quiet matrix has only the rows that are not as expected" {
  cp "$(seed_file same-node)" "${file%/*}/"
  cp "$checkout"/fixtures/vmim/*.yaml "$tree/fixtures/vmim/"
  vmreplay matrix "${file%/*}" --quiet
  assert_exit 0
  assert_equal "$output" "10 runs: 10 as expected, 0 unexpected"
  red
  vmreplay matrix "${file%/*}" -q
  assert_exit 1
  assert_output --partial 'red!'
  refute_output --partial same-node
}

@test "a matrix that is not as expected ends with the command that repeats it" {
  red
  vmreplay matrix "$file"
  assert_exit 1
  assert_equal "${lines[-1]}" "  vmreplay show $file --variant wake --seed 1"
  assert_output --partial 'UNEXPECTED calm, variant none: fail, expected pass'
}

@test "a verbose matrix explains the failures that were expected" {
  vmreplay matrix "$(seed_file target-pod-not-created)"
  assert_exit 0
  refute_output --partial 'was dropped'
  vmreplay matrix "$(seed_file target-pod-not-created)" --verbose
  assert_exit 0
  assert_output --partial 'target-pod-not-created, variant none: fail as expected'
  assert_output --partial 'default/migration was dropped'
}

@test "a quiet show is the timeline alone" {
  vmreplay show "$(seed_file target-pod-not-created)" --variant none --quiet
  assert_exit 0
  assert_line --index 0 --regexp '^TIME +ACTOR'
  assert_equal "${lines[-1]}" "$(grep '^the run ended at' <<<"$output")"
}

@test "a quiet search does not tell how far it is" {
  vmreplay explore "$file" --variant wake --budget 3 --jobs 1 --quiet
  assert_exit 0
  assert_equal "$stderr" ""
  assert_output --partial 'calm, variant wake: nothing found'
}

@test "a shell completes the values of flags" {
  completes none wake level all -- run --variant ''
  completes none wake level -- explore --variant ''
  completes none level -- show --variant ''
  completes vmim kvvm -- matrix --controller ''
  completes table json junit -- run --format ''
  completes table json -- matrix --format ''
  completes table json -- explore --format ''
  completes table json junit markdown -- gate --format ''
  completes html= junit= trace= markdown= json= github= -- run --report ''
  completes html= -- gate --report ''
  completes none each-alone each-out all -- gate --variants ''
  completes client-go controller-runtime -- bind --style ''
}

@test "a shell completes commands, words and paths" {
  completes run matrix explore gate explain -- ''
  completes backoff lost Pod no-leak -- explain ''
  completes scenario -- new ''
  completes scenario results -- schema ''
  local command
  for command in run matrix show explore watch validate; do
    # 8: the shell lists files, those with the ending before it.
    completes yaml :8 -- "$command" ''
  done
}
