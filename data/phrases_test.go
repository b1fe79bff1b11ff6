package data

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func phrases(toks, parents, labels string, o PhraseOptions) *PhraseReader {
	l := Source{Name: "labels"}
	if labels != "" {
		l.R = strings.NewReader(labels)
	}
	return NewPhraseReader(Source{"toks", strings.NewReader(toks)}, Source{"parents", strings.NewReader(parents)}, l, o)
}

func TestPhraseTree(t *testing.T) {
	words := []string{"not", "that", "good"}
	for _, test := range []struct {
		parents []int32
		want    string
	}{
		{[]int32{5, 4, 4, 5, 0}, "( ( not) ( ( that) ( good)))"},
		{[]int32{4, 4, 5, 5, 0}, "( ( ( not) ( that)) ( good))"},
		{[]int32{5, 5, 4, 5, 0}, "( ( not) ( that) ( ( good)))"},
		{[]int32{4, 4, 4, 6, 0, 5}, "( ( ( ( not) ( that) ( good))))"},
	} {
		tree, err := PhraseTree(words, test.parents, nil)
		require.NoError(t, err)
		require.NoError(t, tree.Validate())
		assert.Equal(t, test.want, tree.String())
		assert.Equal(t, words, tree.Words())
	}
	tree, err := PhraseTree(words, []int32{5, 4, 4, 5, 0}, []int32{1, 2, 4, NoLabel, 0})
	require.NoError(t, err)
	assert.Equal(t, "(0 (1 not) ( (2 that) (4 good)))", tree.String())
	tree, err = PhraseTree(words[:1], []int32{0}, nil)
	require.NoError(t, err)
	assert.Equal(t, "( not)", tree.String())
}

func TestPhraseTreeRejects(t *testing.T) {
	for _, test := range []struct {
		parents []int32
		want    string
	}{
		{[]int32{3}, "node 1: expected a parent for each of 2 words, found 1"},
		{[]int32{3, 3, 4}, "node 3: expected a parent 0..3, found 4"},
		{[]int32{3, 3, 3}, "node 1: expected one parent 0, found none among 3"},
		{[]int32{3, 0, 0}, "node 3: expected one parent 0, found a second (the first is that of number 2)"},
		{[]int32{3, 1, 0}, "node 2: expected the number of a phrase, 3..3, as a parent, found the word 1"},
		{[]int32{3, 3, 0, 3}, "node 4: expected a phrase with words below it, found none"},
		{[]int32{3, 5, 0, 5, 4}, "node 4: expected a parent that leads to the root, found 5, part of a cycle of 2"},
	} {
		_, err := PhraseTree([]string{"a", "b"}, test.parents, nil)
		assert.EqualError(t, err, "data: not a tree: "+test.want)
		assert.ErrorIs(t, err, ErrTree)
	}
	_, err := PhraseTree([]string{"a", "b", "c"}, []int32{4, 5, 4, 5, 0}, nil)
	assert.EqualError(t, err, "data: not a tree: node 2: expected phrases of adjacent words, found word 2 between others")
	_, err = PhraseTree([]string{"a"}, []int32{0}, []int32{1, 2})
	assert.ErrorIs(t, err, ErrTree)
	_, err = PhraseTree([]string{"a"}, []int32{0}, []int32{-2})
	assert.ErrorIs(t, err, ErrTree)
	_, err = PhraseTree(nil, nil, nil)
	assert.ErrorIs(t, err, ErrTree)
}

// The trees of the treebank, written as parent pointers and read again.
func TestPhraseReaderOfSST(t *testing.T) {
	trees := readShared(t, SSTOptions(), "data", "sst", "dev.txt")
	for _, separator := range []byte{0, '|'} {
		var toks, parents, labels bytes.Buffer
		for _, tree := range trees {
			writePhrases(tree, separator, &toks, &parents, &labels)
		}
		reader := phrases(toks.String(), parents.String(), labels.String(), PhraseOptions{Separator: separator, FirstLabel: -2})
		read, report, err := Collect(reader.All())
		require.NoError(t, err)
		require.NoError(t, report.Err())
		require.Len(t, read, 1101)
		for i, tree := range trees {
			require.Equal(t, shape(tree), shape(read[i]))
			require.Equal(t, Position{"toks", i + 1, 1}, read[i].Pos)
		}
	}
}

// writePhrases writes a tree with labels 0..4 as labels -2..2, phrases numbered in
// post-order behind the words.
func writePhrases(t *Tree, separator byte, toks, parents, labels *bytes.Buffer) {
	number := make([]int, t.Len()) // of each node, from 1
	words, others := 0, len(t.Leaves())
	byNumber := make([]int32, t.Len())
	for i := range int32(t.Len()) {
		if t.IsLeaf(i) {
			words++
			number[i] = words
		} else {
			others++
			number[i] = others
		}
		byNumber[number[i]-1] = i
	}
	parent := make([]int, t.Len())
	for i := range int32(t.Len()) {
		for _, c := range t.Children(i) {
			parent[c] = number[i]
		}
	}
	blank := string(separator)
	if separator == 0 {
		blank = " "
	}
	var p, l []string
	for _, node := range byNumber {
		p = append(p, strconv.Itoa(parent[node]))
		l = append(l, strconv.Itoa(int(t.Label[node])-2))
	}
	toks.WriteString(strings.Join(t.Words(), blank) + "\n")
	parents.WriteString(strings.Join(p, blank) + "\n")
	labels.WriteString(strings.Join(l, blank) + "\n")
}

func TestPhraseReaderRejects(t *testing.T) {
	bar := PhraseOptions{Separator: '|'}
	tests := []struct {
		toks, parents, labels, want string
		o                           PhraseOptions
	}{
		{"a b", "3", "", "parents:1:1: expected 2 parents at least, one per token of toks:1:1, found 1", PhraseOptions{}},
		{"a b", "3 x 0", "", `parents:1:3: expected the number of a parent, found "x"`, PhraseOptions{}},
		{"a b", "3 4 0", "", "parents:1:3: expected a parent 0..3, found 4", PhraseOptions{}},
		{"", "0", "", "toks:1:1: expected the tokens of a sentence, found an empty line", PhraseOptions{}},
		{"a||b", "3|3|0", "", "toks:1:3: expected a token, found none", bar},
		{"a|b", "3|3|", "", `parents:1:5: expected the number of a parent, found ""`, bar},
		{"a b", "3 3 0", "1 2", "labels:1:1: expected 3 labels, one per node of parents:1:1, found 2", PhraseOptions{}},
		{"a b", "3 3 0", "1 2 -1", `labels:1:5: expected a label from 0 on, or '#', found "-1"`, PhraseOptions{}},
		{"a\xFF", "0", "", "toks:1:2: expected UTF-8 text, found byte 0xFF", PhraseOptions{}},
	}
	for _, test := range tests {
		t.Run(test.want, func(t *testing.T) {
			labels := ""
			if test.labels != "" {
				labels = test.labels + "\n1 #\n"
			}
			r := phrases(test.toks+"\nx\r\n", test.parents+"\n"+strings.Replace("2 0\n", " ", string(separatorOf(test.o)), 1), labels, test.o)
			_, err := r.Next()
			assert.EqualError(t, err, test.want)
			assert.ErrorIs(t, err, ErrSyntax)
			tree, err := r.Next()
			require.NoError(t, err, "the next sentence is read all the same")
			assert.Equal(t, []string{"x"}, tree.Words())
			_, err = r.Next()
			assert.Equal(t, io.EOF, err)
		})
	}
	broken := errors.New("disk on fire")
	r := NewPhraseReader(Source{"toks", iotest.ErrReader(broken)}, Source{"parents", strings.NewReader("0\n")}, Source{}, PhraseOptions{})
	_, err := r.Next()
	assert.EqualError(t, err, "data: reading toks: disk on fire")
}

func separatorOf(o PhraseOptions) byte {
	if o.Separator == 0 {
		return ' '
	}
	return o.Separator
}

func TestPhraseTreeLongChain(t *testing.T) {
	const n = 1_000_000
	parents := make([]int32, n)
	for i := range parents {
		parents[i] = int32(i + 2)
	}
	parents[n-1] = 0
	tree, err := PhraseTree([]string{"w"}, parents, nil)
	require.NoError(t, err)
	assert.Equal(t, n-1, tree.Depth())
}

func FuzzPhrases(f *testing.F) {
	for _, seed := range [][3]string{
		{"a b c", "5 4 4 5 0", "1 2 4 # 0"}, {"a|b", "3|3|0", ""}, {"a", "0", "0"}, {"a b", "3 5 0 5 4", ""}, {"a b c", "4 5 4 5 0", ""},
		{"a\nb\n", "0\n9\n", "-3\n1\n"}, {"", "", ""}, {"a b", "1 0", ""}, {"\xFF", "0", ""},
	} {
		for _, separator := range []byte{0, '|'} {
			f.Add(seed[0], seed[1], seed[2], separator)
		}
	}
	f.Fuzz(func(t *testing.T, toks, parents, labels string, separator byte) {
		r := phrases(toks, parents, labels, PhraseOptions{Separator: separator, FirstLabel: -2})
		for tree, err := range r.All() {
			if err != nil {
				require.ErrorIs(t, err, ErrSyntax)
				for _, e := range splitErrors(err) {
					var syntax *SyntaxError
					require.True(t, errors.As(e, &syntax))
					requirePosition(t, syntax.Position(), map[string]string{"toks": toks, "parents": parents, "labels": labels}[syntax.File])
				}
				continue
			}
			require.NoError(t, tree.Validate())
		}
	})
}

// splitErrors returns the parts of a joined error.
func splitErrors(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	return []error{err}
}
