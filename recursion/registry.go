package recursion

import (
	"fmt"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
)

// Registry returns what makes every operator of this package and of package ops
// from its printed form. It is what graph.Parse needs to read programs back.
func Registry() graph.Registry {
	r := graph.Registry{
		Call.String():   invocation(Call),
		Select.String(): invocation(Select),
		Each.String():   invocation(Each),
		LossOp{}.Name(): func(attrs []graph.Attr, callees []*graph.Graph) (graph.Op, error) {
			return LossOp{}, takes("loss", attrs, callees)
		},
		CollectOp{}.Name(): func(attrs []graph.Attr, callees []*graph.Graph) (graph.Op, error) {
			if err := takes("collect", attrs, callees, "table"); err != nil {
				return nil, err
			}
			table, err := attr[string](attrs[0])
			return CollectOp{table}, err
		},
	}
	for name, make := range ops.Registry() {
		r[name] = func(attrs []graph.Attr, callees []*graph.Graph) (graph.Op, error) {
			if len(callees) > 0 {
				return nil, fmt.Errorf("%w: %s invokes no graph", graph.ErrInvalid, name)
			}
			return make(attrs)
		}
	}
	return r
}

// String is the name of the operator in this mode.
func (m Mode) String() string {
	if int(m) < len(modeNames) {
		return modeNames[m]
	}
	return fmt.Sprintf("Mode(%d)", m)
}

// invocation makes an InvokeOp of the given mode.
func invocation(mode Mode) func([]graph.Attr, []*graph.Graph) (graph.Op, error) {
	return func(attrs []graph.Attr, callees []*graph.Graph) (graph.Op, error) {
		if len(callees) == 0 || len(callees) > 1 && mode != Select {
			return nil, fmt.Errorf("%w: %v of %d graphs", graph.ErrInvalid, mode, len(callees))
		}
		if mode != Each {
			return NewInvoke(mode, 0, callees...), takes(mode.String(), attrs, callees[:0])
		}
		if err := takes(mode.String(), attrs, callees[:0], "lists"); err != nil {
			return nil, err
		}
		lists, err := attr[int](attrs[0])
		if err == nil && (lists < 1 || lists > len(callees[0].In)) {
			err = fmt.Errorf("%w: map over %d lists, %s has %d inputs", graph.ErrInvalid, lists, callees[0].Name, len(callees[0].In))
		}
		return NewInvoke(Each, lists, callees...), err
	}
}

// takes reports an error unless there are exactly the named attributes and no
// graphs to invoke.
func takes(op string, attrs []graph.Attr, callees []*graph.Graph, keys ...string) error {
	if len(callees) > 0 {
		return fmt.Errorf("%w: %s invokes no graph", graph.ErrInvalid, op)
	}
	ok := len(attrs) == len(keys)
	for i := 0; ok && i < len(keys); i++ {
		ok = attrs[i].Key == keys[i]
	}
	if !ok {
		return fmt.Errorf("%w: %s has the attributes %v, want %v", graph.ErrInvalid, op, attrs, keys)
	}
	return nil
}

func attr[T any](a graph.Attr) (T, error) {
	v, ok := a.Value.(T)
	if !ok {
		return v, fmt.Errorf("%w: attribute %s is %v, want a %T", graph.ErrInvalid, a.Key, a.Value, v)
	}
	return v, nil
}
