//go:build !race

package gpu_test

const raceDetector = false
