package scenarios_test

import (
	"fmt"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/vmreplay/vmreplay/sim"
	"github.com/vmreplay/vmreplay/sim/scenario"
)

// bubble is the suite's own test: a run needs one to make its bubble, and a spec
// has none. Runs only borrow it; they never fail it.
var bubble *testing.T

func TestScenarios(t *testing.T) {
	bubble = t
	RegisterFailHandler(Fail)
	RunSpecs(t, "scenarios")
}

// Every file, under every variant, gives the verdict that it has written down.
// Choose with labels: --label-filter='vmim && !slow'.
var _ = Describe("the pack", func() {
	for _, story := range pack() {
		Describe(story.Pos.File, Label(labels(story)...), func() {
			for _, variant := range story.Variants() {
				It("under "+variant, func() {
					r := sim.Judge(bubble, story, variant, sim.Options{Seed: 1})
					Expect(r.Surprise()).To(BeEmpty(), "%s\n%s", explain(r), replay(story, variant))
				})
			}
		})
	}
})

func pack() []*sim.Story {
	sources, err := scenario.OpenPaths(nil)
	if err != nil {
		panic(err)
	}
	loaded, err := scenario.LoadAll(sources, sim.Catalog(), sim.Conditions())
	if err != nil {
		panic(err)
	}
	var stories []*sim.Story
	for _, s := range loaded {
		story, err := sim.Compile(s)
		if err != nil {
			panic(err)
		}
		stories = append(stories, story)
	}
	return stories
}

// labels are those of the file, and control where it is declared one.
func labels(s *sim.Story) []string {
	all := append([]string{s.Type()}, s.Metadata.Labels...)
	if s.Metadata.Control {
		all = append(all, "control")
	}
	return all
}

func explain(r *sim.Result) string {
	text := r.Detail
	for _, c := range r.Checks {
		if !c.OK {
			text += fmt.Sprintf("%s: %s: %s\n", c.Pos, c.Name, c.Message)
		}
	}
	return text
}

func replay(s *sim.Story, variant string) string {
	return fmt.Sprintf("vmreplay show %s --variant %s --seed 1", s.Pos.File, variant)
}
