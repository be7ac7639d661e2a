# Bad input: exit status 2, nothing on stdout, and one line on stderr that says
# where, what, and, for a misspelt word, which one was probably meant.

setup() {
  load helpers
  file=$(new_scenario)
}

# refuses POSITION WORD...: every command that reads the file refuses it at this
# line:column, with these words in the message, and writes nothing.
refuses() {
  local position=$1 command word before after
  shift
  for command in validate run matrix; do
    before=$(find "$tree" | sort)
    vmreplay "$command" "$file"
    after=$(find "$tree" | sort)
    assert_exit 2
    assert_equal "$output" ""
    assert_equal "$(wc -l <<<"$stderr")" 1
    [[ $stderr == *"$file:$position: "* ]] || fail "$command: expected the position $file:$position, got: $stderr"
    for word in "$@"; do
      [[ $stderr == *"$word"* ]] || fail "$command: expected \"$word\" in: $stderr"
    done
    assert_equal "$after" "$before"
  done
}

# refuses_arguments WORD... -- ARGUMENT...: the same without a position.
refuses_arguments() {
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

# fixture NAME TEXT: a fixture beside the scenario.
fixture() {
  printf 'apiVersion: vmreplay/v1alpha1\nkind: Fixture\n%s\n' "$2" >"$tree/fixtures/vmim/$1.yaml"
}

@test "the scenario that the tests below break is good" {
  vmreplay validate "$file"
  assert_exit 0
  assert_equal "$stderr" ""
  vmreplay run "$file"
  assert_exit 0
}

# What YAML itself refuses.

@test "a list that is not closed" {
  echo 'expect: [{name: a' >>"$file"
  vmreplay run "$file"
  assert_exit 2
  assert_equal "$output" ""
  assert_equal "$(wc -l <<<"$stderr")" 1
  [[ $stderr =~ calm\.yaml:1[0-9]:[0-9]+:\ .*YAML ]] || fail "$stderr"
}

@test "an empty file" {
  : >"$file"
  refuses 1:1 empty
}

@test "a file that is no text" {
  printf '\x7fELF\xff\xfe' >"$file"
  refuses 1:5 UTF-8
}

@test "two documents in one file" {
  cat "$file" <(echo ---) "$file" >"$file.two"
  mv "$file.two" "$file"
  refuses 13:1 'second document'
}

@test "a field that is there twice" {
  echo 'until: 20s' >>"$file"
  refuses 13:1 until 'line 10'
}

@test "aliases that stand for billions of values" {
  {
    echo 'x0: &x0 [lol, lol, lol, lol, lol, lol, lol, lol, lol, lol]'
    for i in 1 2 3 4 5 6 7 8 9; do
      p=$((i - 1))
      echo "x$i: &x$i [*x$p, *x$p, *x$p, *x$p, *x$p, *x$p, *x$p, *x$p, *x$p, *x$p]"
    done
  } >>"$file"
  vmreplay run "$file"
  assert_exit 2
  assert_equal "$output" ""
  [[ $stderr =~ calm\.yaml:[0-9]+:[0-9]+:\ .*alias ]] || fail "$stderr"
}

@test "a file of 10 MB" {
  head -c 10000000 /dev/zero | tr '\0' '#' >>"$file"
  refuses 1:1 bytes
}

# Names.

@test "an unknown field" {
  echo 'timelines: []' >>"$file"
  refuses 13:1 timelines '"timeline"'
}

@test "an unknown field of a check" {
  impossible_check | sed 's/within/withing/' >>"$file"
  refuses 16:5 withing '"within"'
}

@test "an unknown kind of file" {
  sed -i 's/^kind: Scenario/kind: Scenery/' "$file"
  refuses 2:7 Scenery Scenario
}

@test "an unknown apiVersion" {
  sed -i 's/v1alpha1/v9/' "$file"
  refuses 1:13 v9 vmreplay/v1alpha1
}

@test "a name that is not the file's" {
  sed -i 's/name: calm/name: clam/' "$file"
  refuses 4:9 calm clam
}

@test "an unknown type of controller" {
  sed -i 's/type: vmim/type: vmin/' "$file"
  refuses 9:11 vmin '"vmim"'
}

@test "an unknown variant in the verdicts" {
  sed -i 's/both, wake/both, wakr/' "$file"
  refuses 12:59 wakr '"wake"'
}

@test "a variant that the verdicts do not name" {
  sed -i 's/, wake//' "$file"
  refuses 12:3 wake
}

@test "an unknown process" {
  printf 'timeline:\n  - at: 1s\n    restart: kube-ovn-controler\n' >>"$file"
  refuses 15:14 kube-ovn-controler '"kube-ovn-controller"'
}

@test "an unknown kind of object" {
  printf 'informerClock:\n  - process: kube-ovn-controller\n    kind: Podd\n    lag: 1s\n' >>"$file"
  refuses 15:11 Podd '"Pod"'
}

@test "an unknown check in the verdicts" {
  impossible_check >>"$file"
  sed -i -e '/control: true/d' -e 's/green: \[none, /red: {none: [imposible]}\n  green: [/' "$file"
  refuses 11:16 imposible '"impossible"'
}

@test "an unknown event" {
  printf 'timeline:\n  - {name: boom, at: 1s, mark: true}\n  - {once: bom, restart: kube-ovn-controller}\n' >>"$file"
  refuses 15:12 bom '"boom"'
}

# Values.

@test "a negative duration" {
  sed -i 's/until: 10s/until: -10s/' "$file"
  refuses 10:8 -10s negative
}

@test "a duration without a unit" {
  sed -i 's/until: 10s/until: 10/' "$file"
  refuses 10:8 10 unit
}

@test "a deadline after the end of the run" {
  impossible_check | sed 's/5s/1h/' >>"$file"
  refuses 16:13 1h 10s
}

@test "an expression that does not parse" {
  impossible_check | sed 's/"false"/"1 == "/' >>"$file"
  vmreplay run "$file"
  assert_exit 2
  assert_equal "$output" ""
  assert_equal "$(wc -l <<<"$stderr")" 1
  [[ $stderr =~ calm\.yaml:15:[0-9]+:\  ]] || fail "$stderr"
}

@test "an expression with an unknown name" {
  impossible_check | sed 's/"false"/"1 == nothing"/' >>"$file"
  refuses 15:23 nothing
}

@test "an expression that is neither true nor false" {
  impossible_check | sed 's/"false"/"1 + 1"/' >>"$file"
  vmreplay run "$file"
  assert_exit 2
  assert_equal "$output" ""
  [[ $stderr =~ calm\.yaml:15:[0-9]+:\ .*true\ or\ false ]] || fail "$stderr"
}

@test "a scenario that no variant fails and that is no control" {
  sed -i '/control: true/d' "$file"
  refuses 4:3 control
}

# Fixtures.

@test "an unknown fixture" {
  fixture lonely 'objects: []'
  printf 'given:\n  fixtures: [vmim/lonly]\n' >>"$file"
  refuses 14:14 vmim/lonly '"vmim/lonely"'
}

@test "fixtures that include each other" {
  fixture hen 'include: [vmim/egg]'
  fixture egg 'include: [vmim/hen]'
  printf 'given:\n  fixtures: [vmim/hen]\n' >>"$file"
  refuses_arguments 'egg.yaml:3:11: ' 'vmim/hen -> vmim/egg -> vmim/hen' -- run "$file"
}

@test "a fixture outside the scenario's tree" {
  printf 'kind: Secret\n' >"$tree/secret.yaml"
  printf 'given:\n  fixtures: [../secret]\n' >>"$file"
  refuses 14:14 ../secret
}

@test "a fixture that is a link out of the tree" {
  mkdir "$tree/elsewhere"
  fixture inside 'objects: []'
  mv "$tree/fixtures/vmim/inside.yaml" "$tree/elsewhere/"
  ln -s "$tree/elsewhere/inside.yaml" "$tree/fixtures/vmim/link.yaml"
  printf 'given:\n  fixtures: [vmim/link]\n' >>"$file"
  refuses 14:14 vmim/link outside
}

# Paths and options.

@test "a path that is not there" {
  refuses_arguments no-such-file.yaml -- run "$tree/no-such-file.yaml"
}

@test "an empty folder" {
  mkdir "$tree/empty"
  refuses_arguments empty scenario -- run "$tree/empty"
}

@test "one bad file in a folder of good ones" {
  cp "$file" "${file%/*}/bad.yaml"
  refuses_arguments 'bad.yaml:4:9: ' -- run "${file%/*}" --format json
}

@test "positions name the file as the caller does" {
  echo 'untill: 10s' >>"$file"
  cd "$tree"
  file=scenarios/vmim/calm.yaml
  refuses 13:1 untill
}

@test "every problem of a file is reported, in order" {
  printf 'timelines: []\nexpects: []\n' >>"$file"
  vmreplay validate "$file"
  assert_exit 2
  assert_equal "$output" ""
  assert_equal "$(grep -oE 'calm\.yaml:[0-9]+' <<<"$stderr")" "calm.yaml:13
calm.yaml:14"
}

@test "an unknown variant on the command line" {
  refuses_arguments wakr wake -- run "$file" --variant wakr
}

@test "an unknown controller on the command line" {
  refuses_arguments vmin vmim -- run "$file" --controller vmin
}

@test "show needs a variant" {
  refuses_arguments variant -- show "$file"
}

# What cannot crash.

@test "a crash of what runs on the nodes" {
  sed -i '/^until:/i given: {standIns: [kubelet, virt-controller]}\ntimeline: [{at: 1s, crash: kubelet}]' "$file"
  refuses 11:28 kubelet 'does not crash' virt-controller
}

# What the schemas of custom resources refuse.

# machine FIELD: a VirtualMachine with this field, applied in the timeline.
machine() {
  sed -i "/^until:/i timeline:\n  - at: 1s\n    apply:\n      apiVersion: virtualization.deckhouse.io/v1alpha2\n      kind: VirtualMachine\n      metadata: {name: vm, namespace: default}\n      spec:\n        virtualMachineClassName: generic\n        cpu: {cores: 1}\n        memory: {size: 1Gi}\n        $1" "$file"
}

@test "a machine without what has a default" {
  machine 'nodeSelector: {zone: a}'
  vmreplay validate "$file"
  assert_exit 0
}

@test "a machine with an unknown run policy" {
  machine 'runPolicy: Sometimes'
  refuses 20:20 '422 Invalid' spec.runPolicy AlwaysOnUnlessStoppedManually
}

@test "a machine with a malformed affinity" {
  machine 'affinity: {nodeAffinity: near}'
  refuses 20:34 '422 Invalid' spec.affinity.nodeAffinity
}

@test "a machine with a misspelt field" {
  machine 'nodeSelektor: {zone: a}'
  refuses 20:23 '400 BadRequest' spec.nodeSelektor
}
