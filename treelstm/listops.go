package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/frondml/frond/data"
)

// parseListOps reads expressions, one per line, as people write them, "[MAX 2 9 ]", or
// as the reader of files wants them, "( ( ( [MAX 2 ) 9 ) ] )".
func parseListOps(r io.Reader, name string) ([]*data.Tree, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var trees []*data.Tree
	var errs []error
	line := 0
	for l := range strings.Lines(string(text)) {
		line++
		if strings.TrimSpace(l) == "" {
			continue
		}
		t, err := listOpsTree(l)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s:%d: %w", name, line, err))
			continue
		}
		trees = append(trees, t)
	}
	return trees, nothingRead(name, trees, errs)
}

// listOpsTree binarises an expression as data.GenerateListOps does: an operator takes
// its arguments one by one from the left, then "]". The brackets of the binary form say
// nothing that this does not.
func listOpsTree(line string) (*data.Tree, error) {
	var b data.Builder
	leaf := func(token string) { b.Add(data.Node{Label: data.NoLabel, Word: token}) }
	join := func() { b.Add(data.Node{Label: data.NoLabel, Arity: 2}) }
	depth := 0
	for token := range strings.FieldsSeq(line) {
		switch {
		case token == "(" || token == ")":
			continue
		case strings.HasPrefix(token, "["):
			leaf(token)
			depth++
			continue
		case token == "]":
			if depth == 0 {
				return nil, fmt.Errorf("%w: ] without a list before it", data.ErrSyntax)
			}
			leaf(token)
			join()
			depth--
		case len(token) == 1 && token >= "0" && token <= "9":
			leaf(token)
		default:
			return nil, fmt.Errorf("%w: expected an operator such as [MAX, a digit or ], found %q", data.ErrSyntax, token)
		}
		if depth > 0 {
			join()
		}
	}
	if depth > 0 {
		return nil, fmt.Errorf("%w: %s without ]", data.ErrSyntax, count(depth, "list"))
	}
	t, err := b.Tree()
	if err != nil {
		return nil, fmt.Errorf("%w: expected one expression: %w", data.ErrSyntax, err)
	}
	return t, nil
}
