package data_test

import (
	"fmt"

	"github.com/frondml/frond/data"
)

func ExampleParseGo() {
	const source = `package shapes

func (s *Square) Area() float64 { return s.side * s.side }
`
	functions, err := data.ParseGo("square.go", []byte(source), data.GoOptions{Names: data.GoPredeclaredNames})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range functions {
		fmt.Println(f.Pos, f.Receiver, f.Name, f.Len())
		body := f.Children(f.Root())[3]
		at := f.Offset[body]
		fmt.Println(f.Tag[body], source[at:at+14])
		fmt.Println(f)
	}
	// Output:
	// square.go:3:1 Square Area 21
	// BlockStmt { return s.sid
	// (FuncDecl (FieldList (Field (Ident) (StarExpr (Ident)))) (Ident) (FuncType (FieldList) (FieldList (Field (Ident float64)))) (BlockStmt (ReturnStmt (BinaryExpr * (SelectorExpr (Ident) (Ident)) (SelectorExpr (Ident) (Ident))))))
}
