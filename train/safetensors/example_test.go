package safetensors_test

import (
	"bytes"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/frondml/frond/train/safetensors"
)

func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "model.safetensors")

	weights := []float32{1, 2, 3, 4, 5, 6}
	err = safetensors.WriteFile(path, []safetensors.Tensor{
		safetensors.Of("linear.weight", []int{2, 3}, weights),
		safetensors.Of("step", nil, []int64{100}),
	}, map[string]string{"format": "1"})
	if err != nil {
		log.Fatal(err)
	}

	r, err := safetensors.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	fmt.Println(r.Names(), r.Metadata())
	info, _ := r.Info("linear.weight")
	dst := make([]float32, info.Len())
	if err := r.ReadF32("linear.weight", dst); err != nil {
		log.Fatal(err)
	}
	fmt.Println(info.DType, info.Shape, dst)
	// Output:
	// [linear.weight step] map[format:1]
	// F32 [2 3] [1 2 3 4 5 6]
}

// Tensors of any dtype are copied between files without being held in memory.
func ExampleRaw() {
	var original, renamed bytes.Buffer
	err := safetensors.Write(&original, []safetensors.Tensor{safetensors.Of("old", []int{2}, []float64{3, 4})}, nil)
	if err != nil {
		log.Fatal(err)
	}
	r, err := safetensors.NewReader(bytes.NewReader(original.Bytes()), int64(original.Len()))
	if err != nil {
		log.Fatal(err)
	}
	info, _ := r.Info("old")
	data, err := r.Section("old")
	if err != nil {
		log.Fatal(err)
	}
	err = safetensors.Write(&renamed, []safetensors.Tensor{safetensors.Raw("new", info.DType, info.Shape, data)}, r.Metadata())
	fmt.Println(renamed.Len() == original.Len(), err)
	// Output: true <nil>
}
