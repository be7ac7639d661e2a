package explore

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/vmreplay/vmreplay/sim/check"
	"github.com/vmreplay/vmreplay/sim/engine"
)

// Describe says in words what a perturbation does.
func Describe(p engine.Perturbation) string {
	if p.Delay > 0 {
		text := fmt.Sprintf("%s comes %s late", p.Point, check.FormatTime(p.Delay))
		if isDelivery(p.Point) {
			text += "; what follows it on that watch waits behind it"
		}
		return text
	}
	switch {
	case p.Status != 0:
		return fmt.Sprintf("%s is refused with %d %s", p.Point, p.Status, http.StatusText(p.Status))
	case p.Reset:
		return p.Point + " breaks off before it is executed"
	case p.Lost:
		return p.Point + " is executed, but its reply is lost"
	case p.Break == engine.BreakAgain:
		return "the watch breaks before " + p.Point + ", and goes on from there"
	case p.Break == engine.BreakGone:
		return "the watch breaks before " + p.Point + ", and it is too late to go on: the client lists"
	case p.Crash != "":
		text := fmt.Sprintf("the process dies %s %s, and starts again %s later", p.Crash, p.Point, check.FormatTime(p.Restart))
		if p.Stale > 0 {
			text += ", on the state of " + check.FormatTime(p.Stale) + " before"
		}
		return text
	case p.Repeat != 0:
		return fmt.Sprintf("%s happens again %s later", p.Point, check.FormatTime(p.Repeat))
	case p.Stale > 0:
		return fmt.Sprintf("%s is answered with the state of %s before", p.Point, check.FormatTime(p.Stale))
	case p.Clock > 0:
		return fmt.Sprintf("from %s on the clock of the process is %s ahead", p.Point, check.FormatTime(p.Clock))
	case p.Clock < 0:
		return fmt.Sprintf("from %s on the clock of the process is %s behind", p.Point, check.FormatTime(-p.Clock))
	case p.Pause > 0:
		return fmt.Sprintf("the process is cut off for %s before %s", check.FormatTime(p.Pause), p.Point)
	case p.Steal:
		return "the lease is stolen just before " + p.Point
	}
	return p.Point + " is as it is written"
}

func isDelivery(point string) bool {
	_, rest, _ := strings.Cut(point, ": ")
	return strings.HasPrefix(rest, engine.VerbDeliver+" ")
}
