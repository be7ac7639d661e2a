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
		return fmt.Sprintf("the process dies %s %s, and starts again %s later", p.Crash, p.Point, check.FormatTime(p.Restart))
	case p.Repeat != 0:
		return fmt.Sprintf("%s happens again %s later", p.Point, check.FormatTime(p.Repeat))
	}
	return p.Point + " is as it is written"
}

func isDelivery(point string) bool {
	_, rest, _ := strings.Cut(point, ": ")
	return strings.HasPrefix(rest, engine.VerbDeliver+" ")
}
