package data_test

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/frondml/frond/data"
)

func ExamplePTBReader() {
	const treebank = `
(4 (2 A) (4 (3 great) (2 film)))
(2 (2 Two words) (2 here))
(1 (1 Not) (2 (2 that) (2 good)))
`
	r := data.NewPTBReader(strings.NewReader(treebank), "reviews.txt", data.SSTOptions())
	for tree, err := range r.All() {
		if errors.Is(err, data.ErrSyntax) {
			fmt.Println("skipped:", err)
			continue
		} else if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(tree.Label[tree.Root()], tree.Words(), "left:", tree.Left)
	}
	// Output:
	// 4 [A great film] left: [-1 -1 -1 1 0]
	// skipped: reviews.txt:3:11: expected ')' after the token "Two", found a second token "words"
	// 1 [Not that good] left: [-1 -1 -1 1 0]
}

func ExamplePTBReader_Next() {
	r := data.NewPTBReader(strings.NewReader("(S (NP (PRP I)) (VP (VBP see)))"), "", data.PTBOptions{})
	for {
		tree, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		for i := range int32(tree.Len()) {
			fmt.Println(i, tree.LabelText(i), tree.Word[i], tree.Children(i))
		}
	}
	// Output:
	// 0 PRP I []
	// 1 NP  [0]
	// 2 VBP see []
	// 3 VP  [2]
	// 4 S  [1 3]
}

func ExampleBuilder() {
	var b data.Builder
	b.Add(data.Node{Label: 2, Word: "not"})
	b.Add(data.Node{Label: 3, Word: "bad"})
	b.Add(data.Node{Label: 3, Arity: 2})
	tree, err := b.Tree()
	fmt.Println(tree, err)
	// Output: (3 (2 not) (3 bad)) <nil>
}

func ExampleBuildVocabulary() {
	tree, err := data.NewPTBReader(strings.NewReader("(2 (2 to) (2 (2 be) (2 (2 or) (2 (2 to) (2 act)))))"), "", data.SSTOptions()).Next()
	if err != nil {
		fmt.Println(err)
		return
	}
	v := data.BuildVocabulary(data.Tokens([]*data.Tree{tree}), data.VocabularyOptions{})
	fmt.Println(v.Len(), v.Word(1), v.ID("be"), v.ID("sleep"))
	// Output: 5 to 3 0
}

func ExampleGenerateListOps() {
	trees, err := data.GenerateListOps(1, 2, data.ListOpsOptions{MaxLength: 6})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, tree := range trees {
		fmt.Println(tree.Label[tree.Root()], string(tree.AppendUnlabelled(nil)))
	}
	// Output:
	// 7 ( ( ( [SM 9 ) 8 ) ] )
	// 2 ( ( ( [SM 6 ) 6 ) ] )
}

func ExampleDependencyTree() {
	tree, err := data.DependencyTree([]string{"the", "boys", "play"}, []int32{2, 3, 0})
	fmt.Println(tree, tree.Index, err)
	// Output: ( play ( boys ( the))) [0 1 2] <nil>
}

func ExampleCollect() {
	const pairs = "<\t( a ( and b ) )\tb\n>\ta\tb\n^\ta\t( not a )\n"
	good, report, err := data.Collect(data.NewLogicReader(strings.NewReader(pairs), "pairs.tsv").All())
	fmt.Println(len(good), report.Skipped, err)
	fmt.Println(report.Err())
	// Output:
	// 2 1 <nil>
	// pairs.tsv:2:1: expected '#', the relation of the statements, found '>'
}
