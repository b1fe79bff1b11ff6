// Package configfile reads settings from a JSON object, strictly: a key that there is not
// is a mistake and not a wish for the future.
//
// It fills the fields of a struct by their json names and leaves alone what a file does
// not mention. All mistakes of a file are reported together, each as file:line:column.
// It reads objects of plain values only, not objects within objects.
//
// Errors wrap [ErrConfig], and those of the file system what the system said. When a file
// has mistakes, fields may have been set or not. Functions may be called concurrently
// for different structs.
package configfile
