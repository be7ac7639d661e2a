package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vmreplay/vmreplay/sim"
)

// files are the paths whose changes matter: the scenarios, also those that come
// new, and the fixtures that they take objects from.
func (w *watcher) files() []string {
	all := slices.Clone(w.paths)
	for _, story := range w.stories {
		all = append(all, story.Pos.File)
		for _, o := range story.Given.Objects {
			all = append(all, o.Pos.File)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// lookAt is a text that changes when one of the files does, or one in a folder.
func lookAt(paths []string) string {
	var b strings.Builder
	for _, path := range paths {
		look := func(name string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && (strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml")) {
				b.WriteString(stamp(name, d))
			}
			return nil
		}
		if err := filepath.WalkDir(path, look); err != nil {
			fmt.Fprintf(&b, "%s: %v\n", path, err)
		}
	}
	return b.String()
}

// stamp is what changes of a file when it is written. What cannot be looked at
// is as good as not there, until it can.
func stamp(name string, d fs.DirEntry) string {
	info, err := d.Info()
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%s %d %d\n", name, info.Size(), info.ModTime().UnixNano())
}

// fingerprint tells whether a story is still the same: its file, and the objects
// of its fixtures.
func fingerprint(story *sim.Story) string {
	h := sha256.New()
	if text, err := os.ReadFile(story.Pos.File); err == nil {
		h.Write(text)
	}
	for _, o := range story.Given.Objects {
		text, err := json.Marshal(o.Content)
		if err != nil {
			panic("an object of a scenario is no JSON: " + err.Error())
		}
		h.Write(text)
	}
	return string(h.Sum(nil))
}
