// Package wholefile writes files that are there whole or not at all, whatever the
// disk says meanwhile: reports, findings, skeletons. Its errors name the path and
// what is wrong with it. It knows no other package of the project.
package wholefile
