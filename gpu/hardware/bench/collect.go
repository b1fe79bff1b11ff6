package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// step is a step of a run as the script has noted it.
type step struct {
	Name    string
	Status  string // "ok", or what was wrong
	Seconds float64
	// Of tests: how many passed, were skipped and failed. Of NVIDIA's tools: the line
	// in which they sum up; of what else failed: the last line.
	Passed, Skipped int
	Failed          []string
	Summary         string
}

// hardwareRun is all that a run has found: results.json.
type hardwareRun struct {
	Date     string
	Machine  string // what nvidia-smi says; "" where there is none
	Prepared string // what was built, and when
	Emulated bool   // figures mean nothing then
	Steps    []step
	Reports  []report
}

// Files that the script leaves in the folder of a run: about the run, and a log and a
// report for steps that have some.
const (
	stepsFile, dateFile, machineFile, preparedFile = "steps.tsv", "date.txt", "machine.txt", "prepared.txt"

	resultsFile, summaryFile = "results.json", "summary.txt"
)

// collect joins what the steps have left in a folder, and writes it there.
func collect(dir string, out io.Writer) error {
	r, err := readRun(dir)
	if err != nil {
		return err
	}
	if err := writeJSON(filepath.Join(dir, resultsFile), r); err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(dir, summaryFile))
	if err != nil {
		return err
	}
	return errors.Join(r.writeText(io.MultiWriter(f, out)), f.Close())
}

func readRun(dir string) (*hardwareRun, error) {
	r := &hardwareRun{}
	steps := ""
	for name, text := range map[string]*string{stepsFile: &steps, dateFile: &r.Date, machineFile: &r.Machine, preparedFile: &r.Prepared} {
		content, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil && (name == stepsFile || !errors.Is(err, fs.ErrNotExist)) {
			return nil, err
		}
		*text = strings.TrimSpace(string(content))
	}
	for i, line := range strings.Split(steps, "\n") {
		fields := strings.Split(line, "\t")
		if len(fields) != 3 {
			return nil, fmt.Errorf("%s:%d: %q is not name, status and seconds", stepsFile, i+1, line)
		}
		seconds, err := strconv.ParseFloat(fields[2], 64)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", stepsFile, i+1, err)
		}
		s := step{Name: fields[0], Status: fields[1], Seconds: seconds}
		if err := errors.Join(s.readLog(dir), r.readReport(dir, s.Name)); err != nil {
			return nil, err
		}
		r.Steps = append(r.Steps, s)
	}
	return r, nil
}

// Lines of logs that count.
var (
	testLine = regexp.MustCompile(`(?m)^--- (PASS|SKIP|FAIL): (\S+)`)
	sumLine  = regexp.MustCompile(`(?m)^=+ ((ERROR|RACECHECK) SUMMARY.*)$`)
)

// readLog counts the tests in the log of a step. There may be no log.
func (s *step) readLog(dir string) error {
	text, err := os.ReadFile(filepath.Join(dir, s.Name+".log"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, m := range testLine.FindAllSubmatch(text, -1) {
		switch string(m[1]) {
		case "PASS":
			s.Passed++
		case "SKIP":
			s.Skipped++
		default:
			s.Failed = append(s.Failed, string(m[2]))
		}
	}
	if all := sumLine.FindAllSubmatch(text, -1); all != nil {
		s.Summary = string(all[len(all)-1][1])
	}
	if s.Summary == "" && s.Status != "ok" && s.Passed+s.Skipped+len(s.Failed) == 0 {
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		s.Summary = lines[len(lines)-1]
	}
	return err
}

// readReport reads the report of a step. There may be none, or the beginning of one if
// the step was ended.
func (r *hardwareRun) readReport(dir, name string) error {
	text, err := os.ReadFile(filepath.Join(dir, name+".json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var one report
	if err := json.Unmarshal(text, &one); err != nil {
		return fmt.Errorf("%s.json: %w", name, err)
	}
	r.Reports = append(r.Reports, one)
	r.Emulated = r.Emulated || one.Card.Name == "emulated device"
	return nil
}
