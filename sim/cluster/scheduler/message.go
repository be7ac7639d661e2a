package scheduler

import (
	"fmt"
	"slices"
	"strings"
)

// message is the text of the PodScheduled condition: how many nodes have each
// reason, sorted as text, and the same for why preemption does not help.
func (v *verdict) message() string {
	if v.nodes == 0 {
		return "no nodes available to schedule pods"
	}
	reasons, preemption := map[string]int{}, map[string]int{}
	for _, r := range v.rejections {
		for _, reason := range r.reasons {
			reasons[reason]++
		}
		if r.lasting {
			preemption["Preemption is not helpful for scheduling"]++
		} else {
			preemption["No preemption victims found for incoming pod"]++
		}
	}
	available := fmt.Sprintf("0/%d nodes are available: ", v.nodes)
	return available + histogram(reasons) +
		" preemption: " + available + histogram(preemption)
}

func histogram(counts map[string]int) string {
	parts := make([]string, 0, len(counts))
	for reason, n := range counts {
		parts = append(parts, fmt.Sprintf("%d %s", n, reason))
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ") + "."
}
