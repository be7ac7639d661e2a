# The report's page, in a real browser: hack/browser/checks.mjs says what each of
# these names means. All of them share one browser, which setup_file starts.

setup_file() {
  load helpers
  browser=$(cd "$BATS_TEST_DIRNAME/../browser" && pwd)
  pages=$BATS_FILE_TMPDIR/pages
  export OUTCOMES=$BATS_FILE_TMPDIR/outcomes
  mkdir -p "$pages"
  "$VMREPLAY" run --quiet --jobs 2 --report "html=$pages/pack.html" 2>"$BATS_FILE_TMPDIR/stderr"
  hostile "$BATS_FILE_TMPDIR" "$pages/hostile.html"
  large "$BATS_FILE_TMPDIR" "$pages/large.html"
  node "$browser/run.mjs" "$pages" "$OUTCOMES" "$BATS_TEST_DIRNAME/../../.cache/screenshots"
  export PAGE_SIZE
  PAGE_SIZE=$(stat -c %s "$pages/pack.html")
}

# story NAME EVENTS EXPECT: a scenario of one migration.
story() {
  cat <<END
apiVersion: vmreplay/v1alpha1
kind: Scenario
metadata: {name: $1, control: true}
description: A story of the tests.
given:
  fixtures: [vmim/vm-on-node-a, vmim/pending-migration]
controllers:
  - {name: kube-ovn-controller, type: vmim}
timeline:
$2
until: 120s
expect:
$3
verdicts:
  green: [none, scheduling-retry, target-pod-retry, both, wake]
END
}

# hostile FOLDER PAGE: a report in which folder, values and conditions try to
# become part of the page.
hostile() {
  local folder="$1/<img src=x onerror=window.broken=1>" evil='</script><script>window.broken=1</script>'
  # A separator that ends a line for a script, and marks that turn the reading
  # direction: as YAML writes them, and as they are.
  local turns='\u2028\u202egnp.\u2066exe' turned=$'\xe2\x80\xaegnp'
  mkdir -p "$folder"
  story '"x"' "  - at: 1s
    patch:
      kind: VirtualMachineInstanceMigration
      name: default/migration
      merge: {metadata: {annotations: {evil: \"$evil<img src=x onerror=window.broken=1><body onload=window.broken=1>$turns\", \"x\": \"<!--<script>\"}}}" \
    "  - name: never
    eventually: vmim(\"default/migration\").metadata.annotations.evil == \"$evil\"
    within: 1s" |
    sed 's/^metadata: .*/metadata: {name: evil, control: true}/' >"$folder/evil.yaml"
  "$VMREPLAY" run "$folder/evil.yaml" --variant none --quiet --report "html=$2" >"$1/hostile.out" 2>&1 || true
  # What a result may hold without being a scenario's: names from elsewhere.
  node "$browser/rename.mjs" "$2" evil "<img src=x onerror=window.broken=1>$turned"
  sed -i 's|>evil</th>|>\&lt;img src=x onerror=window.broken=1\&gt;</th>|' "$2"
}

# large FOLDER PAGE: a report of one run with more than ten thousand events.
large() {
  local events
  events=$(for ((i = 1; i <= 5000; i++)); do
    echo "  - {at: ${i}0ms, patch: {kind: VirtualMachineInstanceMigration, name: default/migration, merge: {metadata: {labels: {n: \"$i\"}}}}}"
  done)
  story long "$events" '  - {name: there, always: vmim("default/migration") != null}' >"$1/long.yaml"
  "$VMREPLAY" run "$1/long.yaml" --variant none --quiet --report "html=$2" >"$1/large.out" 2>&1
}

# holds NAME: the check of that name found nothing.
holds() {
  [[ -f $OUTCOMES/$1 ]] || { echo "the check $1 was not made"; return 1; }
  [[ ! -s $OUTCOMES/$1 ]] || { cat "$OUTCOMES/$1"; return 1; }
}

@test "the page of the whole pack is below 5 MB" { ((PAGE_SIZE < 5000000)); }
@test "the page opens with summary, matrix and a timeline" { holds opens; }
@test "a cell of the matrix opens its run" { holds opens-a-run-from-the-matrix; }
@test "every process, informer and queue has its lane" { holds lanes; }
@test "replicas have lanes of their own, and a stolen lease is no dropped key" { holds replicas; }
@test "the page filters by object, process and kind" { holds filters; }
@test "the page zooms by button, key and wheel" { holds zooms; }
@test "retries are drawn with their back-off and its cap" { holds back-off; }
@test "the page finds the dropped event and the key that it should have woken" { holds finds-the-dropped-event; }
@test "the page goes to the violation, and says when it was" { holds goes-to-the-violation; }
@test "a write is shown as a difference, with what the checks read" { holds shows-a-write-as-a-difference; }
@test "two variants are compared, aligned at their first difference" { holds compares; }
@test "the page can be used with the keyboard alone" { holds keyboard; }
@test "the page is light or dark" { holds dark; }
@test "the page fits a narrow screen" { holds narrow; }
@test "axe-core has no serious finding" { holds accessible; }
@test "no name and no message becomes part of the page" { holds hostile-names; }
@test "ten thousand events draw few elements" { holds ten-thousand-events; }
@test "screenshots, and the times of opening and of frames, are left for CI to keep" {
  local kept=$BATS_TEST_DIRNAME/../../.cache/screenshots name
  for name in open.png compare.png dropped.png difference.png dark.png narrow.png replicas.png hostile.png large.png open.json frames.json; do
    [[ $kept/$name -nt $BATS_FILE_TMPDIR/stderr ]] || fail "$name is not there, or from another run"
  done
}
@test "ten thousand events stay smooth: each frame draws once, and little" { holds ten-thousand-events-stay-smooth; }
