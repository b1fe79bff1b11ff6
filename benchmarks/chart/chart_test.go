package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/frondml/frond/benchmarks/measure"
	"github.com/frondml/frond/benchmarks/report"
)

func result(name string, v float64) report.Result {
	return report.Result{Contender: name, PerSecond: measure.Spread{P10: v * 0.9, Median: v, P90: v * 1.1}}
}

func example() *report.Report {
	r := &report.Report{Machine: report.Machine{CPU: "a processor", PeakGFs: 100}}
	for _, mode := range []string{"infer", "train"} {
		for _, batch := range []int{1, 25} {
			for _, trees := range []string{"sst", "balanced", "moderate", "linear"} {
				r.Races = append(r.Races, report.Race{
					Mode: mode, Trees: trees, Batch: batch, Workers: 1, Embed: 300, Hidden: 150,
					Results: []report.Result{result("level", 1000), result("frond", 900)},
				})
			}
		}
		r.Races = append(r.Races, report.Race{
			Field: "rivals", Mode: mode, Trees: "sst", Batch: 25, Workers: 1, Embed: 300, Hidden: 150,
			Results: []report.Result{result("frond", 900), result("a rival", 3)},
		})
	}
	for _, rows := range []int{1, 4, 1024} {
		r.Kernels = append(r.Kernels, report.Kernel{Name: "Gemm", Rows: rows, GFLOPS: measure.Spread{P10: 80, Median: 90, P90: 95}})
	}
	return r
}

func draw(t *testing.T, r *report.Report) string {
	t.Helper()
	var text bytes.Buffer
	if err := r.WriteJSON(&text); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := run(&text, dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestAllCharts(t *testing.T) {
	dir := draw(t, example())
	for name, want := range map[string]string{
		"ways-infer.svg": ">frond<", "ways-train.svg": ">level<", "shapes.svg": ">moderate<", "rivals.svg": ">a rival<", "kernels.svg": ">1024<",
	} {
		svg, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(string(svg), "<?xml") || !strings.Contains(string(svg), want) {
			t.Errorf("%s is no SVG with %s", name, want)
		}
	}
}

func TestNothingToDraw(t *testing.T) {
	files, err := os.ReadDir(draw(t, new(report.Report)))
	if err != nil || len(files) != 0 {
		t.Errorf("%v %v, want no files", files, err)
	}
	if err := run(strings.NewReader("{"), t.TempDir()); err == nil {
		t.Error("broken JSON was accepted")
	}
	var text bytes.Buffer
	if err := example().WriteJSON(&text); err != nil {
		t.Fatal(err)
	}
	if err := run(&text, filepath.Join(t.TempDir(), "missing")); err == nil {
		t.Error("a folder that is not there was accepted")
	}
}
