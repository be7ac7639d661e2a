// Package page writes results and records as one HTML page that needs nothing
// else: no network, no other file. Summary and matrix are plain HTML; the records
// of the runs lie in it compressed, and a script of the page's own unpacks and
// draws the one that is looked at.
//
// It knows results and records. All texts are data: html/template escapes what
// is in the page, the script makes text nodes of what it draws, and the page
// forbids itself every script but its own.
package page
