// Command generate compiles CUDA sources to the PTX files beside them.
package main

import (
	"log"
	"os"

	"github.com/frondml/frond/gpu/internal/cudac"
)

func main() {
	log.SetFlags(0)
	for _, source := range os.Args[1:] {
		ptx, err := cudac.Compile(source)
		if err != nil {
			log.Fatal(err)
		}
		if err := os.WriteFile(cudac.PTXPath(source), ptx, 0o644); err != nil {
			log.Fatal(err)
		}
	}
}
