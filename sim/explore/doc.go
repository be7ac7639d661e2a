// Package explore searches for the orders of events that break a story: it plays
// the story with perturbed decisions, groups the failures by their cause, shrinks
// one failure of each cause and writes it as a scenario that replays without the
// search.
//
// A Search goes from the small to the large: the written order, every single
// perturbation of its decisions, pairs of those, schedules of PCT, random ones.
// What it finds depends on the story, the variant, the seed and the budget, and
// not on how many runs go on side by side or on how long they take: schedules are
// numbered before they are played, and outcomes are taken in that order.
//
// A Player plays one schedule after the other in this process. A Pool has
// processes that do so, because what client-go draws from math/rand is one for a
// process. A Team has controllers in child processes of their own play side by
// side, those of a source tree. All are Runners.
//
// The package knows sim and what is below it. It knows nothing of the command
// line.
package explore
