package vmim

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmreplay/vmreplay/sim/apiserver"
)

// TestWaitsForTheCRD: discovery is asked every 10 s; migrations that are there by
// then are handled as soon as it answers.
func TestWaitsForTheCRD(t *testing.T) {
	for _, v := range Variants() {
		t.Run(string(v), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				without, with := newAPI(t, apiserver.Builtin()), newAPI(t, nil)
				w := &world{t: t, api: with, wire: newWire(without.Transport()), ovn: newOVNTable(nil), start: time.Now()}
				w.put(newVMI(), newPod(podOn("node-b")), newMigration())
				without.put(newPod(podOn("node-b")))
				w.run(v)
				w.sleepUntil(25 * time.Second)
				w.wire.mu.Lock()
				w.wire.next = with.Transport()
				w.wire.mu.Unlock()
				w.sleepUntil(time.Minute)
				want := []time.Duration{30 * time.Second}
				if diff := cmp.Diff(want, w.attemptsAt(MigrationQueue, migrationName)); diff != "" {
					t.Errorf("attempts (-want +got):\n%s", diff)
				}
				w.wantOptions(movingOptions)
				w.stop()
			})
		})
	}
}

func TestAnAPIServerWithoutAnswers(t *testing.T) {
	for _, v := range Variants() {
		t.Run(string(v), func(t *testing.T) {
			inWorld(t, v, func(w *world) {
				w.stop()
				w.wire.mu.Lock()
				w.wire.next = refusing{}
				w.wire.mu.Unlock()
				w.run(v)
				w.sleepUntil(time.Minute)
			})
		})
	}
}

type refusing struct{}

func (refusing) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("connection refused")
}

// TestRunLeavesNoGoroutine: when Run returns, everything that New and Run started
// has ended, in the middle of whatever it was.
func TestRunLeavesNoGoroutine(t *testing.T) {
	bound := newPod(podOn("node-b"))
	tests := []struct {
		name  string
		story func(*world)
	}{
		{"idle", func(*world) {}},
		{"with a key in back-off", func(w *world) { w.put(newVMI(vmiOn("")), newMigration(), bound) }},
		{"with a request under way", func(w *world) {
			w.put(newVMI(), bound)
			w.wire.before("GET /apis/kubevirt.io/v1/namespaces/default/virtualmachineinstances/vm", w.end)
			w.put(newMigration())
		}},
		{"while the other worker has its turn", func(w *world) {
			w.put(newVMI(), bound)
			w.ovn.before = func(string) {
				w.ovn.before = nil
				w.api.remove(bound)
				time.Sleep(ms)
				w.end()
			}
			w.put(newMigration())
			w.sleepUntil(2 * ms)
		}},
	}
	for _, test := range tests {
		for _, v := range Variants() {
			t.Run(test.name+"/"+string(v), func(t *testing.T) {
				inWorld(t, v, func(w *world) {
					test.story(w)
					w.stop()
					// The transport's part of a request may end a moment later.
					synctest.Wait()
					if stacks := ownStacks(); len(stacks) > 0 {
						t.Errorf("%d goroutines are left:\n%s", len(stacks), strings.Join(stacks, "\n\n"))
					}
					w.run(v)
				})
			})
		}
	}
}

// ownStacks are the stacks of goroutines in the controller, its informers or queues.
func ownStacks() []string {
	buffer := make([]byte, 1<<20)
	all := strings.Split(string(buffer[:runtime.Stack(buffer, true)]), "\n\n")
	return slices.DeleteFunc(all[1:], func(stack string) bool {
		return !strings.Contains(stack, "client-go") && !strings.Contains(stack, "vmim.(*Controller)")
	})
}

// TestSameStoryTwice: what a controller asks for and writes is a function of the
// events, their times and order.
func TestSameStoryTwice(t *testing.T) {
	for _, v := range Variants() {
		t.Run(string(v), func(t *testing.T) {
			type trace struct{ Requests, Attempts, Logs, Writes []string }
			var traces [2]trace
			for i := range traces {
				inWorld(t, v, func(w *world) {
					w.put(newVMI(), sourcePod(), newPod(), newMigration())
					w.sleepUntil(late)
					w.put(newPod(podOn("node-b")), newMigration(phase(kubevirtv1.MigrationScheduled)))
					w.put(newVMI(vmiOn("node-b"), stateOf(uid, "node-a", "node-b")), newMigration(phase(kubevirtv1.MigrationSucceeded)))
					w.remove(sourcePod())
					w.sleepUntil(time.Minute)
					traces[i] = trace{w.wire.sent(), w.attempts, w.logs, w.ovn.written()}
				}, newPod(podNamed("older", 2), podOf("uid-older")))
			}
			// Here nothing puts requests in order: the watch of pods opens while
			// discovery is asked.
			for i := range traces {
				slices.Sort(traces[i].Requests)
			}
			if diff := cmp.Diff(traces[0], traces[1]); diff != "" {
				t.Errorf("the second run differs (-first +second):\n%s", diff)
			}
		})
	}
}

// TestStartHandlesMigrationsInListOrder: a restart replays all migrations in the
// order of the list, whichever order the cache's map has.
func TestStartHandlesMigrationsInListOrder(t *testing.T) {
	for _, v := range Variants() {
		t.Run(string(v), func(t *testing.T) {
			inWorld(t, v, func(w *world) {
				var want, got []string
				for i := range 20 {
					name := fmt.Sprintf("m-%02d", i)
					w.put(newMigration(migrationNamed(name, int64(i)), phase(kubevirtv1.MigrationSucceeded)))
					want = append(want, MigrationQueue+" default/"+name)
				}
				w.put(newVMI())
				w.stop()
				w.attempts = nil
				w.run(v)
				for _, attempt := range w.attempts {
					got = append(got, attempt[:strings.LastIndexByte(attempt, ' ')])
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("keys handled (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// TestReadsOnlyWhatItNeeds are the requests of one migration that is set up.
func TestReadsOnlyWhatItNeeds(t *testing.T) {
	inWorld(t, None, func(w *world) {
		w.put(newVMI(), newPod(podOn("node-b")), newMigration())
		want := []string{
			"GET /api/v1/pods",
			"WATCH /api/v1/pods",
			"GET /apis/kubevirt.io/v1",
			"GET /apis/kubevirt.io/v1/virtualmachineinstancemigrations",
			"WATCH /apis/kubevirt.io/v1/virtualmachineinstancemigrations",
			"GET /apis/kubevirt.io/v1/namespaces/default/virtualmachineinstancemigrations/migration",
			"GET /apis/kubevirt.io/v1/namespaces/default/virtualmachineinstances/vm",
		}
		got := w.wire.sent()
		slices.Sort(got)
		slices.Sort(want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("requests (-want +got):\n%s", diff)
		}
	})
}

// TestProtobufForCoreKindsOnly: the configuration's content type is respected where
// the API server can serve it.
func TestProtobufForCoreKindsOnly(t *testing.T) {
	got := map[string]string{}
	cfg := &rest.Config{Host: "http://cluster", QPS: -1, ContentConfig: rest.ContentConfig{ContentType: k8sruntime.ContentTypeProtobuf},
		Transport: roundTripper(func(req *http.Request) (*http.Response, error) {
			got[req.URL.Path] = req.Header.Get("Accept")
			return &http.Response{StatusCode: http.StatusNotFound, Body: http.NoBody}, nil
		})}
	clients, err := newClients(cfg)
	if err != nil {
		t.Fatal(err)
	}
	_ = clients.core.Get().Resource(podResource).Do(t.Context()).Into(&corev1.PodList{})
	_, _ = clients.migration(t.Context(), "default", "migration")
	want := map[string]string{
		"/api/v1/pods": "application/vnd.kubernetes.protobuf, */*",
		"/apis/kubevirt.io/v1/namespaces/default/virtualmachineinstancemigrations/migration": "application/json",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("accepted content types (-want +got):\n%s", diff)
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// BenchmarkMigration is a minute in the life of a fresh controller that sets up one
// migration, beside an API server without a gate.
func BenchmarkMigration(b *testing.B) {
	for _, v := range []Variant{None, Both, Wake} {
		b.Run(string(v), func(b *testing.B) {
			for range b.N {
				synctest.Test(&testing.T{}, func(t *testing.T) { oneMinute(b, v) })
			}
		})
	}
}

func oneMinute(b *testing.B, v Variant) {
	server := &api{apiserver.New(apiserver.Options{}), &testing.T{}}
	ovn := newOVNTable(nil)
	ctx, cancel := context.WithCancel(context.Background())
	c, err := New(&rest.Config{Host: "http://cluster", Transport: server.Transport(), QPS: -1}, ovn, Options{Variant: v})
	if err != nil {
		b.Fatal(err)
	}
	ended := make(chan error)
	go func() { ended <- c.Run(ctx) }()
	synctest.Wait()
	server.put(newVMI())
	server.put(newPod())
	synctest.Wait()
	server.put(newMigration())
	time.Sleep(180 * ms)
	server.put(newPod(podOn("node-b")))
	time.Sleep(time.Minute)
	cancel()
	<-ended
}
