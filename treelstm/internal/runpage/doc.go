// Package runpage writes a page about a training run: settings, learning curves, epochs
// and confusions.
//
// The page is one file of HTML that needs nothing else, no script and no network, and
// follows the reader's choice of a light or dark screen. Everything that it is given is
// escaped.
//
// It measures nothing. A Page is read, never changed; the only errors are those of the
// writer.
package runpage
