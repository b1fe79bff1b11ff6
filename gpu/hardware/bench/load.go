package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// loads measures how long the driver takes to compile the kernels, file by file, the
// first time and again. What it keeps on the disk between runs is the business of
// CUDA_CACHE_PATH. A file that is refused does not keep it from the others.
func (b *bench) loads() error {
	files, err := filepath.Glob(filepath.Join(b.ptx, "*.ptx"))
	if err != nil {
		return err
	}
	if b.ptx == "" || len(files) == 0 {
		return errors.New("no PTX: -ptx names the folder of the kernels")
	}
	var failures []error
	var total [2]float64
	times := [2]string{"the first time", "again"}
	for _, file := range files {
		ptx, err := os.ReadFile(file)
		for i := 0; i < len(times) && err == nil; i++ {
			var seconds float64
			if seconds, err = b.load(string(ptx)); err == nil {
				total[i] += seconds
				b.add("load "+filepath.Base(file), times[i], "ms", []float64{1e3 * seconds})
			}
		}
		if err != nil {
			failures = append(failures, fmt.Errorf("%s: %w", filepath.Base(file), err))
		}
	}
	for i := range times {
		b.add("load all", times[i], "ms", []float64{1e3 * total[i]})
	}
	return errors.Join(failures...)
}

func (b *bench) load(ptx string) (seconds float64, err error) {
	start := time.Now()
	module, err := b.device.Load(ptx)
	if err != nil {
		return 0, err
	}
	seconds = time.Since(start).Seconds()
	return seconds, module.Close()
}
