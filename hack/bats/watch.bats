# vmreplay watch in a real browser.

setup() {
  load helpers
  file=$(new_scenario)
}

@test "a page that is open shows what is saved, without being loaded anew by hand" {
  local said=$BATS_TEST_TMPDIR/watch.out url
  "$VMREPLAY" watch "$file" --variant none >"$said" 2>"$BATS_TEST_TMPDIR/watch.err" 3>&- &
  local pid=$!
  timeout 20 bash -c "until grep -q 'the report is at' '$said'; do sleep 0.1; done" || fail "$(cat "$BATS_TEST_TMPDIR/watch.err")"
  url=$(sed -n 's/^the report is at //p' "$said")
  run node "$checkout/hack/browser/live.mjs" "$url" "$file" "$checkout/.cache/screenshots"
  kill -INT "$pid"
  wait "$pid"
  assert_success
}
