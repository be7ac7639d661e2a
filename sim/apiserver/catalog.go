package apiserver

import (
	"fmt"
	"reflect"
	"slices"
	"sync"
)

// A catalog is everything that depends on the set of resources alone. Servers
// of the same set share one, so that a server costs little to make.
type catalog struct {
	given     []Resource
	resources []*resource
	byKind    map[string]*resource // by what references call them
	byType    map[typeKey]*resource
	byPath    map[pathKey]*resource
	discovery map[string][]byte // by path, without slashes at the ends
}

type (
	pathKey struct{ group, version, plural string }
	typeKey struct{ apiVersion, kind string }
)

// catalogs holds the catalogs made so far. Few sets exist in one program: a
// linear search is enough, and the cap keeps a test that invents sets from
// growing it for ever.
var catalogs struct {
	sync.Mutex
	all []*catalog
}

const maxCatalogs = 32

func catalogOf(given []Resource) *catalog {
	catalogs.Lock()
	defer catalogs.Unlock()
	for _, c := range catalogs.all {
		if slices.EqualFunc(c.given, given, sameResource) {
			return c
		}
	}
	c := newCatalog(slices.Clone(given))
	if len(catalogs.all) == maxCatalogs {
		catalogs.all = slices.Delete(catalogs.all, 0, 1)
	}
	catalogs.all = append(catalogs.all, c)
	return c
}

func sameResource(a, b Resource) bool {
	return a.Plural == b.Plural && a.Kind == b.Kind && a.Group == b.Group && a.Version == b.Version &&
		a.Singular == b.Singular && a.Namespaced == b.Namespaced && a.Status == b.Status &&
		a.Internal == b.Internal && a.Key == b.Key && a.Generation == b.Generation &&
		slices.Equal(a.ShortNames, b.ShortNames) && sameFunc(a.New, b.New) && a.Schema == b.Schema
}

func sameFunc(a, b any) bool {
	return reflect.ValueOf(a).Pointer() == reflect.ValueOf(b).Pointer()
}

func newCatalog(given []Resource) *catalog {
	c := &catalog{
		given:  given,
		byKind: make(map[string]*resource, len(given)),
		byType: make(map[typeKey]*resource, len(given)),
		byPath: make(map[pathKey]*resource, len(given)),
	}
	for i, r := range given {
		res := newResource(r, i)
		if other := c.byKind[res.key]; other != nil {
			panic(fmt.Sprintf("apiserver: resources %s and %s both have kind %s; give one of them another Key", other.gr, res.gr, res.key))
		}
		c.resources = append(c.resources, res)
		c.byKind[res.key] = res
		c.byType[typeKey{res.apiVersion, r.Kind}] = res
		if !r.Internal {
			c.byPath[pathKey{r.Group, r.Version, r.Plural}] = res
		}
	}
	c.discovery = discoveryDocuments(c.resources)
	return c
}
