package ovn

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/vmreplay/vmreplay/sim/apiserver"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
	"github.com/vmreplay/vmreplay/sim/engine"
)

// System is the name of the database in calls.
const System = "ovn-nb"

// Operations of the database.
const (
	// OpList lists rows by their external ids: "pod=default/vm", ... The answer
	// is a JSON list of Row, sorted by name. Without arguments it lists all.
	OpList = "list"
	// OpSetMigrateOptions takes port, source chassis and target chassis: the port
	// may then be on both, and the target waits for the reverse ARP.
	OpSetMigrateOptions = "set-migrate-options"
	// OpResetMigrateOptions takes port and chassis: the port belongs to that
	// chassis alone. A port without requested-chassis stays as it is.
	OpResetMigrateOptions = "reset-migrate-options"
	// OpCleanMigrateOptions takes a port and drops both options.
	OpCleanMigrateOptions = "clean-migrate-options"
)

// IsRead tells whether a client answers the operation from its own copy of the
// database: such a call takes no time.
func IsRead(op string) bool { return op == OpList }

// A Row is a port in the answer to OpList.
type Row struct {
	Name        string            `json:"name"`
	ExternalIDs map[string]string `json:"externalIDs,omitempty"`
	Options     map[string]string `json:"options,omitempty"`
	Chassis     string            `json:"chassis,omitempty"`
}

// A DB answers calls. Each is one transaction, and takes effect at once.
type DB struct{ api standin.API }

// NewDB makes the database whose rows are in that server.
func NewDB(api standin.API) *DB { return &DB{api} }

var operations = map[string]struct {
	args string
	n    int
	do   func(d *DB, args []string) error
}{
	OpSetMigrateOptions:   {"port, source, target", 3, setMigrateOptions},
	OpResetMigrateOptions: {"port, chassis", 2, resetMigrateOptions},
	OpCleanMigrateOptions: {"port", 1, cleanMigrateOptions},
}

// Call executes one operation and returns its answer as JSON; writes answer
// nothing. It fails for an unknown operation or port, for arguments that do not
// fit, and where the server refuses the write.
func (d *DB) Call(op string, args []string) ([]byte, error) {
	if op == OpList {
		return d.list(args)
	}
	o, ok := operations[op]
	if !ok {
		return nil, fmt.Errorf("%s: no operation %q: want %s, %s, %s or %s", System, op,
			OpList, OpSetMigrateOptions, OpResetMigrateOptions, OpCleanMigrateOptions)
	}
	if len(args) != o.n {
		return nil, fmt.Errorf("%s %s: want %d arguments (%s), found %d: %q", System, op, o.n, o.args, len(args), args)
	}
	if err := o.do(d, args); err != nil {
		return nil, fmt.Errorf("%s %s %s: %w", System, op, args[0], err)
	}
	return nil, nil
}

func (d *DB) list(args []string) ([]byte, error) {
	want := map[string]string{}
	for _, arg := range args {
		key, value, ok := strings.Cut(arg, "=")
		if !ok {
			return nil, fmt.Errorf("%s %s: want external ids as key=value, found %q", System, OpList, arg)
		}
		want[key] = value
	}
	rows := []Row{}
	for _, o := range d.api.List(Kind, "") {
		if row := rowOf(o); row.has(want) {
			rows = append(rows, row)
		}
	}
	return json.Marshal(rows)
}

func rowOf(r engine.Revision) Row {
	c := r.Content()
	return Row{
		Name:        r.Ref().Name,
		ExternalIDs: stringMap(standin.Map(c, "externalIDs")),
		Options:     stringMap(standin.Map(c, "options")),
		Chassis:     standin.String(c, "chassis"),
	}
}

func (r Row) has(ids map[string]string) bool {
	for key, value := range ids {
		if r.ExternalIDs[key] != value {
			return false
		}
	}
	return true
}

func stringMap(m map[string]any) map[string]string {
	if len(m) == 0 {
		return nil
	}
	out := make(map[string]string, len(m))
	for k, v := range m {
		out[k], _ = v.(string)
	}
	return out
}

func setMigrateOptions(d *DB, args []string) error {
	return d.change(args[0], map[string]string{
		OptionRequestedChassis: args[1] + "," + args[2],
		OptionActivation:       ActivationRARP,
	})
}

func resetMigrateOptions(d *DB, args []string) error {
	o, err := d.row(args[0])
	if err != nil || standin.String(o.Content(), "options", OptionRequestedChassis) == "" {
		return err
	}
	return d.change(args[0], map[string]string{OptionRequestedChassis: args[1], OptionActivation: ""})
}

func cleanMigrateOptions(d *DB, args []string) error {
	return d.change(args[0], map[string]string{OptionRequestedChassis: "", OptionActivation: ""})
}

// change sets options, or drops those that are "". A row that is right already
// is not written.
func (d *DB) change(port string, options map[string]string) error {
	o, err := d.row(port)
	if err != nil {
		return err
	}
	content, changed := standin.Edit(o.Content()), false
	for _, key := range []string{OptionRequestedChassis, OptionActivation} {
		value, ok := options[key]
		if !ok || value == standin.String(content, "options", key) {
			continue
		}
		changed = true
		if value == "" {
			standin.Remove(content, "options", key)
		} else {
			standin.Set(content, value, "options", key)
		}
	}
	if !changed {
		return nil
	}
	_, err = d.api.Update(content, "")
	return err
}

func (d *DB) row(port string) (*apiserver.Object, error) {
	o, err := d.api.Get(engine.Ref{Kind: Kind, Name: port})
	if apierrors.IsNotFound(err) {
		return nil, fmt.Errorf("no logical switch port %q: the database has %s", port, d.names())
	}
	return o, err
}

func (d *DB) names() string {
	var names []string
	for _, o := range d.api.List(Kind, "") {
		names = append(names, o.Ref().Name)
	}
	slices.Sort(names)
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
