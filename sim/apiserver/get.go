package apiserver

import (
	"slices"

	"github.com/vmreplay/vmreplay/sim/engine"
)

// Get gives the current state of an object.
func (s *Server) Get(ref engine.Ref) (*Object, error) {
	res, err := s.kind(ref.Kind)
	if err != nil {
		return nil, err
	}
	return s.find(res, ref, "")
}

// List gives all objects of a kind, of one namespace or of all (""), sorted by
// namespace/name. A kind that is not served has none.
func (s *Server) List(kind, namespace string) []*Object {
	res, err := s.kind(kind)
	if err != nil {
		return nil
	}
	return slices.Clone(within(s.store(res).objects, namespace))
}
