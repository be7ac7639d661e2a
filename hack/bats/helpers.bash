# Shared by the suites: what is under test, and how its answers are looked at.

bats_require_minimum_version 1.5.0
load node_modules/bats-support/load
load node_modules/bats-assert/load

checkout=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)

# The scenarios of the two patches, in the order of the ownership matrix.
seeds=(
  target-pod-not-created
  source-node-unknown
  target-node-unknown
  both-nodes-unknown
  already-scheduled
  same-node
)

seed_file() { echo "$checkout/scenarios/vmim/$1.yaml"; }

# vmreplay runs the command and keeps $status, $output and $stderr apart.
vmreplay() { run --separate-stderr "$VMREPLAY" "$@"; }

# json prints the value of a JavaScript expression over the document `d` that
# the command wrote. Lists are printed one item a line.
json() {
  node -e '
    const d = JSON.parse(require("fs").readFileSync(0, "utf8"));
    const v = eval(process.argv[1]);
    for (const line of Array.isArray(v) ? v : [v]) {
      console.log(typeof line === "string" ? line : JSON.stringify(line));
    }
  ' "$1" <<<"$output"
}

# assert_exit compares the exit status and shows all output if it differs.
assert_exit() {
  if [[ $status -ne $1 ]]; then
    batslib_print_kv_single_or_multi 8 expected "$1" actual "$status" \
      stdout "$output" stderr "$stderr" | batslib_decorate "exit status" | fail
  fi
}

# tree is a folder with scenarios and fixtures of the test's own; bats keeps
# files of its own beside it.
tree=$BATS_TEST_TMPDIR/tree

# new_scenario writes a good scenario, a control without any event, into the
# tree and prints its path: suites break one thing of it.
new_scenario() {
  local folder=$tree/scenarios/vmim
  mkdir -p "$folder" "$tree/fixtures/vmim"
  cat >"$folder/calm.yaml" <<'END'
apiVersion: vmreplay/v1alpha1
kind: Scenario
metadata:
  name: calm
  control: true
description: Nothing happens.
controllers:
  - name: kube-ovn-controller
    type: vmim
until: 10s
verdicts:
  green: [none, scheduling-retry, target-pod-retry, both, wake]
END
  echo "$folder/calm.yaml"
}

# impossible_check is what turns that scenario red for every variant. It starts
# on line 13 of the file.
impossible_check() {
  cat <<'END'
expect:
  - name: impossible
    eventually: "false"
    within: 5s
END
}
