# Reports: --report on run and matrix, and what helps at a terminal.

setup() {
  load helpers
  file=$(new_scenario)
  out=$BATS_TEST_TMPDIR/out
  one=("$(seed_file target-pod-not-created)" --variant none)
}

# red makes that scenario red for every variant, against what is written down.
red() { impossible_check >>"$file"; }

# get URL [HOST]: the status of the answer, and the answer.
get() {
  node -e '
    const [url, host] = process.argv.slice(1);
    require("http").get(url, { headers: host ? { host } : {} }, (r) => { console.log(r.statusCode); r.pipe(process.stdout); });
  ' "$@"
}

# refused WORD... -- ARGUMENT...: exit status 2, nothing on stdout, one line on
# stderr with these words, and nothing was written.
refused() {
  local words=() word
  while [[ $1 != -- ]]; do words+=("$1"); shift; done
  shift
  vmreplay "$@"
  assert_exit 2
  assert_equal "$output" ""
  assert_equal "$(wc -l <<<"$stderr")" 1
  for word in "${words[@]}"; do
    [[ $stderr == *"$word"* ]] || fail "expected \"$word\" in: $stderr"
  done
}

@test "every report at once, and each file is named" {
  vmreplay run "${one[@]}" --report "html=$out/r.html,junit=$out/j.xml,trace=$out/t.json" --report "markdown=$out/s.md,json=$out/r.json"
  assert_exit 0
  assert_equal "$(ls "$out")" "$(printf '%s\n' j.xml r.html r.json s.md t.json)"
  assert_equal "$stderr" "$(printf "wrote $out/%s\n" r.html j.xml t.json s.md r.json)"
  [[ $output == *"1 run: 1 as expected"* ]]
}

@test "the same runs give the same bytes" {
  local n
  for n in 1 2; do
    "$VMREPLAY" run "${one[@]}" -q --report "html=$out/$n.html,trace=$out/$n.json" 2>/dev/null
  done
  cmp "$out/1.html" "$out/2.html"
  cmp "$out/1.json" "$out/2.json"
}

@test "matrix and explore write every report, too" {
  local command every="html=$out/r.html,junit=$out/j.xml,trace=$out/t.json,markdown=$out/s.md,json=$out/r.json" name
  for command in "matrix $(seed_file same-node)" "explore $(seed_file same-node) --variant wake --budget 5 --jobs 1"; do
    rm -rf "$out"
    # shellcheck disable=SC2086
    vmreplay $command --report "$every"
    assert_exit 0
    assert_equal "$(ls "$out")" "$(printf '%s\n' j.xml r.html r.json s.md t.json)"
    for name in "$out"/*; do grep -q same-node "$name" || fail "$name is of something else"; done
  done
}

@test "explore reports what it found, with the shortest schedule" {
  vmreplay explore "$(seed_file live-migration)" --variant scheduling-retry --budget 200 --jobs 2 --out "$out" \
    --report "junit=$out/j.xml,html=$out/r.html"
  assert_exit 1
  grep -q 'classname="vmim.live-migration, ' "$out/j.xml"
  grep -q '^perturbed:$' "$out/j.xml"
  grep -q "^vmreplay run $out/live-migration.*\.yaml --variant scheduling-retry$" "$out/j.xml"
  run node "$checkout/hack/browser/junit.mjs" "$out/j.xml"
  assert_success
  grep -q 'perturbed' "$out/r.html"
}

@test "the JUnit report is as its schema says, with failures too" {
  red
  vmreplay run "$file" --report "junit=$out/red.xml"
  assert_exit 1
  vmreplay run "${one[@]}" --report "junit=$out/green.xml"
  assert_exit 0
  grep -q '<failure message="fail, expected pass"' "$out/red.xml"
  run node "$checkout/hack/browser/junit.mjs" "$out/red.xml" "$out/green.xml"
  assert_success
  echo '<testsuites><testcase/></testsuites>' >"$out/bad.xml"
  run node "$checkout/hack/browser/junit.mjs" "$out/bad.xml"
  assert_failure
}

@test "the trace has processes, threads, slices and flows" {
  "$VMREPLAY" run "${one[@]}" -q --report "trace=$out/t.json" 2>/dev/null
  output=$(<"$out/t.json")
  assert_equal "$(json '[...new Set(d.traceEvents.map((e) => e.ph))].sort().join("")')" MXbefis
  assert_equal "$(json 'd.traceEvents.filter((e) => e.name === "process_name").map((e) => e.args.name)')" \
    "$(printf 'target-pod-not-created, none: %s\n' scenario 'API server' kube-ovn-controller)"
}

@test "the Markdown summary has the matrix, and how to repeat what went wrong" {
  red
  vmreplay run "$file" --report "markdown=$out/s.md"
  assert_exit 1
  grep -Fq '| calm | **red!** | **red!** | **red!** | **red!** | **red!** |' "$out/s.md"
  grep -Fq "vmreplay show $file --variant none --seed 1" "$out/s.md"
}

@test "annotations stand at the line of the check" {
  red
  vmreplay run "$file" --variant none --report github
  assert_exit 1
  assert_equal "$(cut -d: -f1-3 <<<"$stderr")" "::error file=$file,line=14,col=5,title=calm%2C variant none%3A fail%2C expected pass"
  vmreplay run "${one[@]}" --report github
  assert_equal "$stderr" ""
}

@test "the schemas of all that is JSON are published" {
  local name
  for name in scenario results matrix explore gate; do
    vmreplay schema "$name"
    assert_exit 0
    assert_equal "$(json 'typeof d.$schema')" string
  done
  vmreplay schema results
  assert_equal "$(json 'd.definitions.result.required.includes("verdict")')" true
  vmreplay run "${one[@]}" --format json
  assert_equal "$(json 'd.results[0].replay')" "vmreplay show ${one[0]} --variant none --seed 1"
}

@test "a misspelt report" { refused '--report: unknown report "htm" (did you mean "html"?)' -- run "$file" --report htm=x; }
@test "a report without a file" { refused 'html: expected the path of a file' -- run "$file" --report html; }
@test "a report whose path is a folder" { refused 'is a folder: expected the path of a file' -- run "$file" --report "html=$tree"; }
@test "a report below a file" { refused 'not a directory' -- run "$file" --report "junit=$file/x.xml"; }
@test "a report over a device" { refused 'is no regular file' -- run "$file" --report trace=/dev/null; }
@test "a path with what a terminal obeys stays a text, of one line" {
  local odd=$BATS_TEST_TMPDIR/$'odd\e[31m\n::error::x'
  mkdir "$odd"
  sed 's/until: 10s/until: tomorrow/' "$file" >"$odd/calm.yaml"
  refused 'odd\x1b[31m\x0a::error::x/calm.yaml:10:8: ' -- run "$odd/calm.yaml"
  cp "$file" "$odd/calm.yaml"
  vmreplay run "$odd/calm.yaml" --variant none --report "html=$odd/r.html"
  assert_exit 0
  assert_equal "$stderr" "wrote $BATS_TEST_TMPDIR/odd\x1b[31m\x0a::error::x/r.html"
  vmreplay validate "$odd/calm.yaml" --verbose
  assert_equal "${lines[0]}" "$BATS_TEST_TMPDIR/odd\x1b[31m\x0a::error::x/calm.yaml: valid, for 5 variants of vmim"
}

@test "two reports in one file" { refused 'two reports cannot be one file' -- run "$file" --report html=x,json=x; }

@test "a report into a folder that may not be written" {
  mkdir "$out"
  chmod 555 "$out"
  if [[ $(id -u) -eq 0 ]]; then
    # For root every folder may be written; this one belongs to the kernel.
    refused 'cannot be written' -- run "$file" --report "html=/proc/report.html"
  else
    refused 'permission denied' -- run "$file" --report "html=$out/r.html"
  fi
}

@test "a full disk leaves the old report and no half of a new one" {
  mkdir "$out"
  echo old >"$out/r.html"
  # No file may grow beyond two blocks: for the program that is a full disk.
  run --separate-stderr bash -c "trap '' XFSZ; ulimit -f 2; exec \"\$@\"" bash "$VMREPLAY" run "$file" --quiet --report "html=$out/r.html"
  assert_exit 2
  [[ $stderr == *"$out/r.html was not written: file too large"* ]] || fail "$stderr"
  assert_equal "$(ls -A "$out")" r.html
  assert_equal "$(<"$out/r.html")" old
}

@test "quiet prints what is not as expected, and the sum" {
  vmreplay run "${one[@]}" --quiet --report "json=$out/r.json"
  assert_equal "$output" "1 run: 1 as expected, 0 unexpected"
  assert_equal "$stderr" ""
  red
  vmreplay run "$file" --variant none -q
  assert_exit 1
  [[ $output == *"UNEXPECTED calm, variant none"*"vmreplay show $file --variant none --seed 1"* ]]
}

@test "explain knows checks, perturbations, kinds and fields" {
  local word
  for word in eventually always never stays backoff rate quiet leaderOnly sometimes \
    delay status reset lost break crash repeat stale clock pause steal replicas leaderElection \
    no-panic no-exit no-leak hot-loop timeline informer-clock schedule Pod VirtualMachineInstanceMigration hold given; do
    vmreplay explain "$word"
    assert_exit 0
    [[ -n $output ]]
  done
  vmreplay explain scheduler.latency
  assert_output --partial '5ms by default'
  vmreplay explain VirtualMachineClass
  assert_output --partial 'dvmclasses() is'
  refused 'unknown word "backof" (did you mean "backoff"?)' -- explain backof
}

@test "a new scenario runs, and is never overwritten" {
  cd "$BATS_TEST_TMPDIR"
  local type
  for type in vmim kvvm; do
    vmreplay new scenario "my-$type" --controller "$type"
    assert_exit 0
    vmreplay run "my-$type.yaml" -q
    assert_exit 0
  done
  # YAML would read this one as a number.
  vmreplay new scenario 1234
  vmreplay run 1234.yaml -q
  assert_exit 0
  vmreplay new scenario my-tree --controller tree --process mover
  run grep -c 'mover' my-tree.yaml
  assert_output 2
  rm my-tree.yaml
  vmreplay new scenario my-tree --controller tree
  assert_exit 0
  assert_line 'vmreplay run --tree DIR --package ./PKG --binding FILE my-tree.yaml'
  vmreplay validate my-tree.yaml
  assert_exit 0
  refused 'my-vmim.yaml is there already' -- new scenario my-vmim
  refused 'expected a name of lower-case letters' -- new scenario 'My Scenario'
  refused '--process: "My Mover": expected' -- new scenario my-other --controller tree --process 'My Mover'
  refused 'there is no folder' -- new scenario nowhere/x
  refused 'did you mean "scenario"' -- new scenari x
}

@test "the schema of scenarios is JSON, and completion is there" {
  vmreplay schema
  assert_exit 0
  assert_equal "$(json 'd.oneOf.length')" 2
  local shell
  for shell in bash zsh fish; do
    vmreplay completion "$shell"
    assert_exit 0
  done
}

@test "on a terminal a problem has its line and a caret" {
  command -v script >/dev/null || fail "the command script is missing"
  sed -i 's/until: 10s/until: tomorrow/' "$file"
  run script -qec "'$VMREPLAY' run '$file'" /dev/null
  [[ $output == *"calm.yaml:10:8: "* ]] || fail "$output"
  [[ $output == *'   10 | until: tomorrow'* ]] || fail "$output"
  [[ $output == *'      |        ^'* ]] || fail "$output"
}

@test "a terminal of 40 columns gets a table that fits, as far as names can be cut" {
  run script -qec "stty cols 40; '$VMREPLAY' matrix '$(seed_file same-node)'" /dev/null
  local line
  while IFS= read -r line; do
    line=${line##*$'\r['} # the progress bar before it
    ((${#line} <= 42)) || [[ $line == *as\ expected* ]] || fail "too wide: $line"
  done < <(tr -d '\r' <<<"$output" | sed 's/\x1b\[[0-9;]*m//g' | grep -v '^\[')
}

@test "a terminal of 40 columns gets a timeline of paragraphs" {
  run script -qec "stty cols 40; '$VMREPLAY' show '${one[0]}' --variant none" /dev/null
  local line count=0
  while IFS= read -r line; do
    # One word may be wider, to be copied: a path, a command.
    ((${#line} <= 40)) || [[ $line =~ ^\ *[^\ ]+$ ]] || [[ $line == "  vmreplay show "* ]] || fail "too wide: $line"
    count=$((count + 1))
  done < <(tr -d '\r' <<<"$output" | sed 's/\x1b\[[0-9;]*m//g; s/…/./g')
  ((count > 40)) || fail "$output"
  assert_output --partial '0.001000s kube-ovn-controller list'
}

@test "a terminal of 40 columns gets a search's report that fits" {
  local search="'$VMREPLAY' explore --budget 60 --quiet --variant none --out '$BATS_TEST_TMPDIR/found' '$(seed_file live-migration)'"
  run script -qec "stty cols 40; $search" /dev/null
  local line count=0
  while IFS= read -r line; do
    # One word may be wider, and the command that repeats a finding.
    ((${#line} <= 40)) || [[ $line =~ ^\ *[^\ ]+$ ]] || [[ $line == "    vmreplay run "* ]] || fail "too wide: $line"
    count=$((count + 1))
  done < <(tr -d '\r' <<<"$output")
  ((count > 20)) || fail "$output"
  assert_output --partial '    vmreplay run '
}

@test "reports are written although nobody reads the table to its end" {
  cd "$BATS_TEST_TMPDIR"
  ("$VMREPLAY" run "$(seed_file live-migration)" -v --report json=all.json,html=all.html || true) 2>/dev/null | head -1 >/dev/null
  run node -e 'console.log(JSON.parse(require("fs").readFileSync("all.json")).ok)'
  assert_output true
  assert [ -s all.html ]
}

@test "watch replays what changed and shows problems" {
  cp "$file" "$BATS_TEST_TMPDIR/good.yaml"
  sed 's/name: calm/name: other/' "$file" >"${file%/*}/other.yaml"
  "$VMREPLAY" watch "$tree/scenarios" >"$BATS_TEST_TMPDIR/watch.out" 2>"$BATS_TEST_TMPDIR/watch.err" 3>&- &
  local pid=$! url
  # appears FILE TEXT: waits, not for long, until a file has a text.
  appears() { timeout 20 bash -c "until grep -q -- '$2' '$1'; do sleep 0.1; done" || fail "no \"$2\" in: $(cat "$1")"; }
  appears "$BATS_TEST_TMPDIR/watch.out" 'the report is at'
  url=$(sed -n 's/^the report is at //p' "$BATS_TEST_TMPDIR/watch.out")
  # The page waits for a newer one; the answer comes with the change.
  get "${url}live?seen=1" >"$BATS_TEST_TMPDIR/live" 3>&- &
  sed 's/Nothing happens/Nothing at all happens/' "$BATS_TEST_TMPDIR/good.yaml" >"$file"
  appears "$BATS_TEST_TMPDIR/live" 205
  # Two scenarios of five variants; only one was touched.
  assert_equal "$(grep 'runs made anew' "$BATS_TEST_TMPDIR/watch.out")" \
    "$(printf '%s of 10 runs made anew: 10 as expected, 0 unexpected\n' 10 5)"
  echo 'unknown: 1' >>"$file"
  appears "$BATS_TEST_TMPDIR/watch.err" 'unknown field'
  get "$url" >"$BATS_TEST_TMPDIR/page"
  grep -q 'id="problem"' "$BATS_TEST_TMPDIR/page"
  assert_equal "$(get "$url" somewhere.example | head -1)" 421
  # A problem is told once, and is over when the file is mended.
  cp "$BATS_TEST_TMPDIR/good.yaml" "$file"
  timeout 20 bash -c "until ! node -e 'require(\"http\").get(\"$url\", (r) => r.pipe(process.stdout))' | grep -q 'id=\"problem\"'; do sleep 0.1; done"
  assert_equal "$(wc -l <"$BATS_TEST_TMPDIR/watch.err")" 1
  rm "$file"
  appears "$BATS_TEST_TMPDIR/watch.out" '0 of 5 runs made anew'
  rm "${file%/*}/other.yaml"
  appears "$BATS_TEST_TMPDIR/watch.err" 'no scenario'
  kill -0 "$pid" || fail "it ended with its files"
  cp "$BATS_TEST_TMPDIR/good.yaml" "$file"
  appears "$BATS_TEST_TMPDIR/watch.out" '5 of 5 runs made anew'
  kill -INT "$pid"
  wait "$pid"
}

@test "watch can be interrupted before its first report, too" {
  "$VMREPLAY" watch "$checkout/scenarios" >"$BATS_TEST_TMPDIR/watch.out" 2>"$BATS_TEST_TMPDIR/watch.err" 3>&- &
  local pid=$!
  # It opens its address before it plays anything, and can be told to end from then on.
  timeout 20 bash -c "until ls -l /proc/$pid/fd | grep -q socket:; do sleep 0.1; done"
  kill -INT "$pid"
  wait "$pid"
  assert_equal "$(cat "$BATS_TEST_TMPDIR/watch.out" "$BATS_TEST_TMPDIR/watch.err")" ""
}

@test "watch serves on loopback only" { refused 'expected a loopback address' -- watch "$tree" --listen 0.0.0.0:0; }
