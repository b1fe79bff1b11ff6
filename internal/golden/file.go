package golden

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// File is a file of reference results.
type File struct {
	Name   string
	Seed   uint64
	Dims   map[string]int
	Params Arrays // empty where every case of the results has its own
	Inputs Arrays // constant inputs that follow the formula as well
	Data   Data

	Results json.RawMessage // see Decode
}

// Array describes a parameter or an input, whose elements follow the formula.
type Array struct {
	Index int // of all parameters, then all inputs
	Name  string
	Shape []int
	Scale float64
}

// Arrays are the parameters or the inputs of a file.
type Arrays []Array

// UnmarshalJSON reads a list of arrays; a string, which says that the arrays are
// elsewhere, is none.
func (as *Arrays) UnmarshalJSON(text []byte) error {
	if bytes.HasPrefix(text, []byte(`"`)) {
		return nil
	}
	return json.Unmarshal(text, (*[]Array)(as))
}

// Find returns the array called name.
func (as Arrays) Find(t testing.TB, name string) Array {
	t.Helper()
	for _, a := range as {
		if a.Name == name {
			return a
		}
	}
	t.Fatalf("golden: no array is called %q", name)
	return Array{}
}

// Data says which examples the results are for.
type Data struct {
	FirstLine int `json:"first_line"`
	Lines     int
	Vocab     int
	VocabHash string          `json:"sha256_of_vocab"`
	Nodes     json.RawMessage // per tree, or per pair of trees
	Scores    []float64       // of pairs
}

// Load reads the file called name, without its extension. The test is skipped
// where there are no reference results.
func Load(t testing.TB, name string) *File {
	t.Helper()
	dir := os.Getenv("FROND_GOLDEN")
	if dir == "" {
		dir = filepath.Join(shared(t), "golden")
	}
	text, err := os.ReadFile(filepath.Join(dir, name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var f File
	f.decode(t, text, &f)
	if f.Name != name {
		t.Fatalf("golden %s: the file says that it is %q", name, f.Name)
	}
	return &f
}

// shared returns the directory of reference data: shared, beside the repository.
func shared(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for !exists(filepath.Join(dir, "go.mod")) {
		if parent := filepath.Dir(dir); parent != dir {
			dir = parent
			continue
		}
		t.Fatal("no go.mod above the working directory")
	}
	data := filepath.Join(filepath.Dir(dir), "shared")
	if !exists(data) {
		t.Skip("the directory shared, with reference data, is not beside this repository")
	}
	return data
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// Decode stores the results of the file in what dst points to. For trained models
// that is a Trained.
func (f *File) Decode(t testing.TB, dst any) {
	t.Helper()
	f.decode(t, f.Results, dst)
}

func (f *File) decode(t testing.TB, text []byte, dst any) {
	t.Helper()
	if err := json.Unmarshal(text, dst); err != nil {
		t.Fatalf("golden %s: %v", f.Name, err)
	}
}

// Trained holds the results of a model that has a loss.
type Trained struct {
	TotalLoss      float64     `json:"total_loss"`
	LossPerItem    []float64   `json:"loss_per_item"`
	RootLogits     [][]float64 `json:"root_logits"`
	Probabilities  [][]float64
	Outputs        [][]float64
	Shapes         []string    // of data-dependent recursion
	Nodes          []int       // likewise: calls
	InputGradients [][]float64 `json:"input_gradients"`
	Gradients      []Gradient
	Curves         []Curve
	FirstTree      []Node `json:"first_tree_postorder"`
}

// Gradient is the gradient of the total loss by one parameter.
type Gradient struct {
	Name    string
	L2, Sum float64
	Values  []float64 // row-major
	Indexes []int     // of Values; nil when Values is complete
}

// Curve is a training run with all examples in every step.
type Curve struct {
	Optimizer    string // sgd, adagrad or adam
	LR           float64
	Eps          float64
	Beta1, Beta2 float64
	Steps        int
	Losses       []float64 // before step 1, ..., after the last
	FinalParamL2 []float64 `json:"final_param_l2"`
}

// Node is what was computed at a node of the first tree.
type Node struct {
	Label int
	Loss  float64
	H     []float64
}
