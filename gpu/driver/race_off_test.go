//go:build !race

package driver_test

const raceDetector = false
