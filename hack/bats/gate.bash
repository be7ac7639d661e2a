# Shared by the suites of the gate: the tree of fixtures, and a tree of a few lines
# that builds in a second.

# The go command's own cache stays where it is: it takes minutes to fill.
GOCACHE=$(go env GOCACHE)
export GOCACHE
# Binaries are kept for all tests of a run, and apart from the user's own.
export XDG_CACHE_HOME=$BATS_RUN_TMPDIR/cache

portmover=(
  --tree "$checkout/fixtures/tree" --package ./migration
  --binding "$checkout/fixtures/bindings/portmover_test.go.txt"
  --patches "$checkout/fixtures/patches/*.diff"
)
portmover_scenarios=$checkout/fixtures/tree/scenarios

# small writes a tree with two patches, a binding and two scenarios into $work. Its
# controller gives one port the chassis that two functions name; each patch
# corrects one of them.
small() {
  work="$BATS_TEST_TMPDIR/with a space"
  mkdir -p "$work/tree/ctl" "$work/patches" "$work/scenarios"
  printf 'module small.example\n\ngo 1.24\n' >"$work/tree/go.mod"
  cat >"$work/tree/ctl/ctl.go" <<'END'
package ctl

// Source is the chassis that the port leaves.
func Source() string {
	return "nowhere"
}

// Target is the chassis that the port goes to.
func Target() string {
	return "nowhere"
}
END
  cat >"$work/binding_test.go" <<'END'
package ctl

import (
	"context"
	"testing"

	"github.com/vmreplay/vmreplay/sim/lockstep"
)

func TestSmall(t *testing.T) {
	lockstep.Serve(t, map[string]lockstep.Program{"small": run})
}

func run(ctx context.Context, env *lockstep.Env) error {
	if _, err := env.Call(ctx, "ovn-nb", "set-migrate-options", "vm.default", Source(), Target()); err != nil {
		return err
	}
	<-ctx.Done()
	return nil
}
END
  small_patch 0001-source 3 Source leaves node-a
  small_patch 0002-target 8 Target 'goes to' node-b
  small_scenario source 'port("vm.default").options["requested-chassis"].startsWith("node-a,")' without-source
  small_scenario target 'port("vm.default").options["requested-chassis"].endsWith(",node-b")' without-target
  small_flags=(
    --tree "$work/tree" --package ./ctl --binding "$work/binding_test.go"
    --patches "$work/patches/*.diff"
  )
}

# small_patch NAME LINE FUNCTION WORDS VALUE
small_patch() {
  cat >"$work/patches/$1.diff" <<END
$3 is $5.

diff --git a/ctl/ctl.go b/ctl/ctl.go
--- a/ctl/ctl.go
+++ b/ctl/ctl.go
@@ -$2,4 +$2,4 @@
 // $3 is the chassis that the port $4.
 func $3() string {
-	return "nowhere"
+	return "$5"
 }
END
}

# small_scenario NAME CONDITION OWNER: a scenario that is red without a patch; a
# control, if there is no owner.
small_scenario() {
  local control=''
  [[ -n ${3:-} ]] || control=', control: true'
  {
    printf 'apiVersion: vmreplay/v1alpha1\nkind: Scenario\nmetadata: {name: %s%s}\n' "$1" "$control"
    printf 'given: {fixtures: [vmim/port]}\ncontrollers: [{name: small, type: tree}]\nuntil: 10s\n'
    printf "expect:\n  - name: moved\n    eventually: '%s'\n    within: 1s\nverdicts:\n  green: [all]\n" "$2"
    [[ -z ${3:-} ]] || printf '  red: {%s: [moved]}\n' "$3"
  } >"$work/scenarios/$1.yaml"
}

gate() { vmreplay gate "$@"; }

# small_gate FLAG...: the gate on the small tree.
small_gate() { gate "${small_flags[@]}" --scenarios "$work/scenarios" "$@"; }

# refused WORD...: exit code 2, nothing on stdout, and the words on stderr.
refused() {
  local word
  assert_exit 2
  assert_equal "$output" ""
  for word in "$@"; do
    [[ $stderr == *"$word"* ]] || fail "expected \"$word\" in: $stderr"
  done
}

# counting_go puts a go command before the real one that counts builds of tests.
counting_go() {
  local real
  real=$(command -v go)
  mkdir -p "$BATS_TEST_TMPDIR/bin"
  builds=$BATS_TEST_TMPDIR/builds
  : >"$builds"
  printf '#!/bin/sh\ncase "$*" in "test -c "*) echo "$*" >>"%s";; esac\nexec "%s" "$@"\n' "$builds" "$real" >"$BATS_TEST_TMPDIR/bin/go"
  chmod +x "$BATS_TEST_TMPDIR/bin/go"
  PATH=$BATS_TEST_TMPDIR/bin:$PATH
}

# look prints all that can be seen of a folder from outside, but access times.
look() { find "$1" -printf '%P %y %m %s %T@\n' | sort; }
