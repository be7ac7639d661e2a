package lockstep_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmreplay/vmreplay/sim/lockstep"
)

// outdoors is a host without a bubble: it writes down what it is asked for.
type outdoors struct{ log []string }

func (o *outdoors) Transport() http.RoundTripper { return o }

func (o *outdoors) RoundTrip(req *http.Request) (*http.Response, error) {
	o.log = append(o.log, req.Method+" "+req.URL.Path)
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, nil
}

func (o *outdoors) Call(_ context.Context, system, op string, args []string) ([]byte, error) {
	o.log = append(o.log, system+" "+op+" "+strings.Join(args, ","))
	return []byte("answer"), nil
}

func (o *outdoors) Note(source, op, key, text string) {
	o.log = append(o.log, strings.Join([]string{source, op, key, text}, " "))
}

// TestEnvOutsideOfABubble: a program cannot tell where it runs.
func TestEnvOutsideOfABubble(t *testing.T) {
	host := &outdoors{}
	env := lockstep.NewEnv("controller", []string{"-v"}, host)
	program := func(ctx context.Context, env *lockstep.Env) error {
		env.Note("queue", "add", "default/x", "")
		if _, err := env.Call(ctx, "ovn-nb", "list", "a", "b"); err != nil {
			return err
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+env.Process()+".invalid/"+env.Args()[0], nil)
		if err != nil {
			return err
		}
		resp, err := env.Transport().RoundTrip(req)
		if err != nil {
			return err
		}
		return resp.Body.Close()
	}
	if err := program(t.Context(), env); err != nil {
		t.Fatal(err)
	}
	want := []string{"queue add default/x ", "ovn-nb list a,b", "GET /-v"}
	if diff := cmp.Diff(want, host.log); diff != "" {
		t.Errorf("what the host was asked for (-want +found):\n%s", diff)
	}
}
