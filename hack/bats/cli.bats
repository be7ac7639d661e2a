# The command line itself: what it prints where, and how it ends.
# 0: as expected, 1: a verdict differs from the one written down, 2: bad input,
# 3: a run that is not deterministic or that hangs.

setup() { load helpers; }

@test "version names the program and the libraries that can change a verdict" {
  vmreplay version
  assert_exit 0
  assert_line --index 0 --regexp '^vmreplay .+'
  assert_line --regexp '^k8s.io/client-go v[0-9]+'
  assert_equal "$stderr" ""
  local command=$output
  vmreplay --version
  assert_exit 0
  assert_equal "$output" "$command"
}

@test "help names every command" {
  vmreplay --help
  assert_exit 0
  local command
  for command in run matrix show validate version; do
    assert_output --regexp "(^|
) +$command +"
  done
  assert_equal "$stderr" ""
}

@test "help of run names its options and the exit codes" {
  vmreplay run --help
  assert_exit 0
  local option
  for option in --controller --variant --seed --repeat --jobs --format; do
    assert_output --partial -- "$option"
  done
}

@test "an unknown command is bad input, and the nearest one is named" {
  vmreplay matix
  assert_exit 2
  assert_equal "$output" ""
  [[ $stderr == *matix* && $stderr == *matrix* ]] || fail "$stderr"
}

@test "an unknown option is bad input" {
  vmreplay run --varant none
  assert_exit 2
  assert_equal "$output" ""
  [[ $stderr == *--varant* ]] || fail "$stderr"
}

@test "an unknown format is bad input, and the formats are named" {
  vmreplay run "$(seed_file same-node)" --format yaml
  assert_exit 2
  assert_equal "$output" ""
  [[ $stderr == *yaml* && $stderr == *table* && $stderr == *json* && $stderr == *junit* ]] || fail "$stderr"
}

@test "numbers that make no sense are bad input" {
  local option
  for option in --repeat=0 --repeat=-1 --repeat=x --jobs=0 --seed=x; do
    vmreplay run "$(seed_file same-node)" "$option"
    assert_exit 2
    assert_equal "$output" ""
    [[ -n $stderr ]] || fail "nothing on stderr for $option"
  done
}

@test "an expected red run is a success" {
  vmreplay run "$(seed_file target-pod-not-created)" --variant none --format json
  assert_exit 0
  assert_equal "$(json 'd.results.map(r => [r.variant, r.verdict, r.expected].join(" "))')" "none fail fail"
  assert_equal "$(json d.ok)" true
}

@test "an expected green run is a success" {
  vmreplay run "$(seed_file target-pod-not-created)" --variant both --format json
  assert_exit 0
  assert_equal "$(json 'd.results.map(r => [r.variant, r.verdict, r.expected].join(" "))')" "both pass pass"
  assert_equal "$(json 'd.results[0].checks.every(c => c.ok)')" true
}

@test "a result has the fields that scripts rely on" {
  vmreplay run "$(seed_file target-pod-not-created)" --variant none --format json
  assert_exit 0
  assert_equal "$(json 'Object.keys(d)')" "ok
results"
  assert_equal "$(json 'Object.keys(d.results[0]).slice(0, 9)')" "scenario
controller
variant
verdict
expected
hash
virtualSeconds
steps
checks"
  assert_equal "$(json 'Object.keys(d.results[0].checks[0]).slice(0, 4)')" "name
ok
message
at"
  assert_equal "$(json 'd.results[0].virtualSeconds > 0 && d.results[0].steps > 0')" true
}

@test "a verdict that differs from the one written down ends with 1" {
  local file
  file=$(new_scenario)
  impossible_check >>"$file"
  vmreplay run "$file" --variant none --format json
  assert_exit 1
  assert_equal "$(json d.ok)" false
  assert_equal "$(json 'd.results.map(r => [r.variant, r.verdict, r.expected].join(" "))')" "none fail pass"
}

@test "the table of an unexpected verdict says where and how to repeat it" {
  local file
  file=$(new_scenario)
  impossible_check >>"$file"
  vmreplay run "$file" --variant none
  assert_exit 1
  assert_output --partial UNEXPECTED
  assert_output --partial "$file:14:"
  assert_output --regexp 'vmreplay (run|show) .*calm\.yaml --variant none'
}

@test "a matrix whose verdicts differ ends with 1" {
  local file
  file=$(new_scenario)
  impossible_check >>"$file"
  vmreplay matrix "$file" --format json
  assert_exit 1
  assert_equal "$(json d.ok)" false
}

@test "without a path the embedded pack runs, from any folder" {
  cd "$BATS_TEST_TMPDIR"
  vmreplay run --format json
  assert_exit 0
  assert_equal "$(json d.ok)" true
  local seed
  for seed in "${seeds[@]}"; do
    assert_equal "$(json "d.results.filter(r => r.scenario === '$seed').length")" 5
  done
}

@test "run writes nothing into the current folder" {
  mkdir "$tree"
  cd "$tree"
  vmreplay run "$(seed_file same-node)"
  assert_exit 0
  assert_equal "$(ls -A)" ""
}

@test "a folder stands for the scenarios below it" {
  vmreplay run "$checkout/scenarios/vmim" --variant both --format json
  assert_exit 0
  local seed
  for seed in "${seeds[@]}"; do
    assert_equal "$(json "d.results.filter(r => r.scenario === '$seed').length")" 1
  done
}

@test "the JUnit report has one case for each scenario and variant" {
  vmreplay run "$(seed_file target-pod-not-created)" "$(seed_file same-node)" --format junit
  assert_exit 0
  assert_line --index 0 '<?xml version="1.0" encoding="UTF-8"?>'
  assert_equal "$(grep -c '<testcase ' <<<"$output")" 10
  refute_output --partial '<failure'
}

@test "validate accepts the scenarios of the pack" {
  vmreplay validate "$checkout/scenarios"
  assert_exit 0
  assert_equal "$stderr" ""
}

@test "show prints the run's steps in the order of virtual time" {
  vmreplay show "$(seed_file target-pod-not-created)" --variant none
  assert_exit 0
  assert_output --partial kube-ovn-controller
  assert_output --partial VirtualMachineInstanceMigration
  local first=$output
  vmreplay show "$(seed_file target-pod-not-created)" --variant none
  assert_equal "$output" "$first"
}

@test "output that goes to a file has no colour codes" {
  vmreplay run "$(seed_file same-node)"
  assert_exit 0
  refute_output --partial $'\e['
}
