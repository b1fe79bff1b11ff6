// Package hardware has no code: it is the folder of what a machine with a GPU is checked
// and measured with.
//
// The script prepare builds it, run executes it without Go, the command bench is what
// measures, and torch_levels.py is what it measures against. README.md describes them.
// The test of this package tries both scripts on the emulated device.
package hardware
