// Package curve draws lines over a common axis as SVG: what a learning run measured,
// epoch by epoch.
//
// A chart scales with the page that holds it, is legible in print and without colours
// (every line has a dash pattern of its own), and names itself to screen readers. Points
// that are not finite are left out and interrupt their line.
//
// It is no plotting library: axes are linear, ticks are chosen by the package, and there
// is nothing but lines.
//
// A Chart is read, never changed; functions may be called concurrently. Nothing fails: a
// chart without points says so.
package curve
