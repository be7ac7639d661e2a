//go:build conformance

package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/ovn-kubernetes/libovsdb/client"
	"github.com/ovn-kubernetes/libovsdb/model"
	"github.com/ovn-kubernetes/libovsdb/ovsdb"
	"k8s.io/apimachinery/pkg/util/wait"
	"pgregory.net/rapid"

	"github.com/vmreplay/vmreplay/sim/apiserver"
	"github.com/vmreplay/vmreplay/sim/cluster/ovn"
)

// A switchPort is a row of Logical_Switch_Port, as far as migrations touch it.
type switchPort struct {
	UUID        string            `ovsdb:"_uuid"`
	Name        string            `ovsdb:"name"`
	Options     map[string]string `ovsdb:"options"`
	ExternalIDs map[string]string `ovsdb:"external_ids"`
}

// A logicalSwitch holds ports: rows that nothing refers to vanish.
type logicalSwitch struct {
	UUID  string   `ovsdb:"_uuid"`
	Name  string   `ovsdb:"name"`
	Ports []string `ovsdb:"ports"`
}

const sequences = 50

// TestOVN sends random operations of a network controller to a real northbound
// database, by an ordinary client, and to the stand-in. The rows must be equal
// after each.
func TestOVN(t *testing.T) {
	nb := startNorthbound(t)
	for seed := range sequences {
		steps := rapid.SliceOfN(rapid.Custom(drawCall), 4, 12).Example(seed + 1)
		server := apiserver.New(apiserver.Options{Seed: 1, Resources: []apiserver.Resource{ovn.Resource()}})
		db := ovn.NewDB(server)
		ports := []string{fmt.Sprintf("vm-%d.a", seed), fmt.Sprintf("vm-%d.b", seed)}
		for _, p := range ports {
			nb.addPort(p)
			loadPort(t, server, p)
		}
		for i, step := range steps {
			port := ports[i%2]
			ok := t.Run(fmt.Sprintf("seed %d, step %d, %s", seed+1, i+1, step.op), func(t *testing.T) {
				_, err := db.Call(step.op, append([]string{port}, step.chassis...))
				if err != nil {
					t.Fatal(err)
				}
				nb.do(port, step)
				if diff := cmp.Diff(nb.options(port), rowsOf(t, db)[port]); diff != "" {
					t.Errorf("options of %s (-real +stand-in):\n%s", port, diff)
				}
			})
			closing.count("OVN operations", ok)
		}
	}
}

type ovnCall struct {
	op      string
	chassis []string
}

func drawCall(r *rapid.T) ovnCall {
	node := rapid.SampledFrom([]string{"node-a", "node-b", "node-c"})
	switch rapid.IntRange(0, 2).Draw(r, "op") {
	case 0:
		return ovnCall{ovn.OpSetMigrateOptions, []string{node.Draw(r, "source"), node.Draw(r, "target")}}
	case 1:
		return ovnCall{ovn.OpResetMigrateOptions, []string{node.Draw(r, "chassis")}}
	}
	return ovnCall{op: ovn.OpCleanMigrateOptions}
}

func loadPort(t *testing.T, server *apiserver.Server, name string) {
	t.Helper()
	r := ovn.Resource()
	_, err := server.Load(map[string]any{
		"apiVersion": r.Group + "/" + r.Version, "kind": r.Kind,
		"metadata": map[string]any{"name": name}, "externalIDs": map[string]any{"pod": "default/" + name}, "options": map[string]any{},
	})
	if err != nil {
		t.Fatal(err)
	}
}

func rowsOf(t *testing.T, db *ovn.DB) map[string]map[string]string {
	t.Helper()
	data, err := db.Call(ovn.OpList, nil)
	if err != nil {
		t.Fatal(err)
	}
	var rows []ovn.Row
	if err := json.Unmarshal(data, &rows); err != nil {
		t.Fatal(err)
	}
	all := map[string]map[string]string{}
	for _, r := range rows {
		all[r.Name] = map[string]string{}
		maps.Copy(all[r.Name], r.Options)
	}
	return all
}

// A northbound is the real database with a client.
type northbound struct {
	t      *testing.T
	client client.Client
}

func startNorthbound(t *testing.T) *northbound {
	t.Helper()
	schema := os.Getenv("OVN_NB_SCHEMA")
	if _, err := os.Stat(schema); err != nil {
		t.Fatalf("OVN_NB_SCHEMA=%q is no file: run `make conformance`, which finds the schema or says which packages bring it", schema)
	}
	t.Setenv("PATH", os.Getenv("PATH")+":/usr/sbin")
	dir := t.TempDir()
	file, socket := filepath.Join(dir, "nb.db"), filepath.Join(dir, "nb.sock")
	if out, err := exec.Command("ovsdb-tool", "create", file, schema).CombinedOutput(); err != nil {
		t.Fatalf("ovsdb-tool: %v\n%s", err, out)
	}
	server := exec.Command("ovsdb-server", "--remote=punix:"+socket, "--unixctl="+filepath.Join(dir, "ctl"), file)
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Kill() // it may have ended by itself
		_ = server.Wait()         // killed: the error says so
	})
	err := wait.PollUntilContextTimeout(t.Context(), 10*time.Millisecond, patience, true, func(context.Context) (bool, error) {
		_, err := os.Stat(socket)
		return err == nil, nil
	})
	if err != nil {
		t.Fatalf("ovsdb-server did not open %s: %v", socket, err)
	}
	return &northbound{t: t, client: connect(t, "unix:"+socket)}
}

func connect(t *testing.T, endpoint string) client.Client {
	t.Helper()
	tables, err := model.NewClientDBModel("OVN_Northbound", map[string]model.Model{
		"Logical_Switch": &logicalSwitch{}, "Logical_Switch_Port": &switchPort{}})
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.NewOVSDBClient(tables, client.WithEndpoint(endpoint))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	if _, err := c.MonitorAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	return c
}

func (n *northbound) transact(ops []ovsdb.Operation, err error) {
	n.t.Helper()
	if err != nil {
		n.t.Fatal(err)
	}
	results, err := n.client.Transact(n.t.Context(), ops...)
	if err != nil {
		n.t.Fatal(err)
	}
	if _, err := ovsdb.CheckOperationResults(results, ops); err != nil {
		n.t.Fatal(err)
	}
}

func (n *northbound) addPort(name string) {
	n.t.Helper()
	row, err := n.client.Create(&switchPort{UUID: "port", Name: name, ExternalIDs: map[string]string{"pod": "default/" + name}})
	if err != nil {
		n.t.Fatal(err)
	}
	holder, err := n.client.Create(&logicalSwitch{UUID: "holder", Name: "of-" + name, Ports: []string{"port"}})
	n.transact(append(row, holder...), err)
}

// row reads a port from the client's copy of the database, once that has caught
// up with what was written.
func (n *northbound) row(name string) *switchPort {
	n.t.Helper()
	var found []switchPort
	err := wait.PollUntilContextTimeout(n.t.Context(), time.Millisecond, patience, true, func(ctx context.Context) (bool, error) {
		err := n.client.WhereCache(func(p *switchPort) bool { return p.Name == name }).List(ctx, &found)
		return len(found) == 1, err
	})
	if err != nil {
		n.t.Fatalf("port %s: %v", name, err)
	}
	return &found[0]
}

// do is what a network controller does: it reads the row, changes its options and
// writes them.
func (n *northbound) do(port string, c ovnCall) {
	n.t.Helper()
	row := n.row(port)
	options := map[string]string{}
	maps.Copy(options, row.Options)
	switch c.op {
	case ovn.OpSetMigrateOptions:
		options[ovn.OptionRequestedChassis] = c.chassis[0] + "," + c.chassis[1]
		options[ovn.OptionActivation] = ovn.ActivationRARP
	case ovn.OpResetMigrateOptions:
		if options[ovn.OptionRequestedChassis] == "" {
			return
		}
		options[ovn.OptionRequestedChassis] = c.chassis[0]
		delete(options, ovn.OptionActivation)
	case ovn.OpCleanMigrateOptions:
		delete(options, ovn.OptionRequestedChassis)
		delete(options, ovn.OptionActivation)
	}
	row.Options = options
	n.transact(n.client.Where(row).Update(row, &row.Options))
	err := wait.PollUntilContextTimeout(n.t.Context(), time.Millisecond, patience, true, func(context.Context) (bool, error) {
		return maps.Equal(n.row(port).Options, options), nil
	})
	if err != nil {
		n.t.Fatalf("the options of %s never became %v: %v", port, options, err)
	}
}

func (n *northbound) options(port string) map[string]string {
	n.t.Helper()
	// From the server itself, not from the copy.
	op := ovsdb.Operation{Op: ovsdb.OperationSelect, Table: "Logical_Switch_Port", Columns: []string{"options"},
		Where: []ovsdb.Condition{ovsdb.NewCondition("name", ovsdb.ConditionEqual, port)}}
	results, err := n.client.Transact(n.t.Context(), op)
	if err != nil || len(results) != 1 || len(results[0].Rows) != 1 {
		n.t.Fatalf("selecting port %s: %v, %+v", port, err, results)
	}
	options := map[string]string{}
	given, ok := results[0].Rows[0]["options"].(ovsdb.OvsMap)
	if !ok {
		n.t.Fatalf("options of %s: want a map, found %T", port, results[0].Rows[0]["options"])
	}
	for k, v := range given.GoMap {
		options[k.(string)] = v.(string)
	}
	return options
}
