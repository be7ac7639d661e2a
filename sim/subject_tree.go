package sim

// TypeTree is the type of the controllers whose code is in a source tree of their
// own: package gate runs them. Its variants are sets of patches, which only that
// tree's series of patches says.
const TypeTree = "tree"
