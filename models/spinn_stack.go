package models

import (
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// The stack of the parser is the chain of invocations in flight. An invocation owns one
// element of the stack and knows the one below, its caller's. It returns when it has
// been reduced with that. So a transition takes the same time whatever the depth of the
// stack, and nothing is copied or kept that the gradients do not need.

// stackFrame is an element on the stack of the parser, and where the parser is.
type stackFrame struct {
	Top, Below LSTMState
	Depth      graph.Value // of the stack
	At         cursor
}

// cursor is how far the parser has read.
type cursor struct {
	Pos     graph.Value // words that have been shifted
	Tracker LSTMState
}

// reduced is what has become of an element and the one below it.
type reduced struct {
	Top LSTMState
	At  cursor
}

func (s *spinn) frameSpec() (stackFrame, reduced) {
	state := lstmStateOf(s.config.Hidden)
	at := cursor{Pos: graph.I32(), Tracker: lstmStateOf(s.config.Track)}
	return stackFrame{Top: state, Below: state, Depth: graph.I32(), At: at}, reduced{state, at}
}

// interpret parses the words and classifies the root.
func (s *spinn) interpret(name string, words graph.Value, p policy) Scores {
	m := s.module
	buffer := s.buffer(words)
	n := ops.Len(words)
	spec, result := s.frameSpec()

	run := recursion.Declare(m, name, spec, result)
	run.Define(func(f stackFrame) reduced {
		single, empty := ops.Equal(f.Depth, m.Int(1)), ops.Equal(f.At.Pos, n)
		return recursion.If(ops.And(single, empty), func() reduced {
			return reduced{f.Top, f.At}
		}, func() reduced {
			tracker := s.follow(f, buffer)
			k := ops.Sub(ops.Mul(f.At.Pos, m.Int(2)), f.Depth) // n shifted, n - depth reduced
			free := ops.Not(ops.Or(single, empty))
			chosen := ops.Equal(p.choose(k, s.choice.Apply(tracker.H), free), m.Int(Reduce))
			reduce := ops.Or(empty, ops.And(chosen, free))
			recursion.Collect("transition", k, ops.Cast(reduce, graph.Int32))
			return recursion.If(reduce, func() reduced {
				node := s.reduce(f, tracker)
				p.made(k, node)
				return reduced{node, cursor{f.At.Pos, tracker}}
			}, func() reduced {
				word := buffer.at(f.At.Pos)
				p.made(k, word)
				next := cursor{ops.Add(f.At.Pos, m.Int(1)), tracker}
				r := run.Invoke(stackFrame{Top: word, Below: f.Top, Depth: ops.Add(f.Depth, m.Int(1)), At: next})
				return run.Invoke(stackFrame{Top: r.Top, Below: f.Below, Depth: f.Depth, At: r.At})
			})
		})
	})
	root := run.Invoke(s.first(buffer, p))
	return Scores{s.class.Apply(root.Top.H)}
}

// first is the stack after the first transition, which cannot be but a shift.
func (s *spinn) first(buffer stateList, p policy) stackFrame {
	m := s.module
	none, silent, zero := m.Full(0, s.config.Hidden), m.Full(0, s.config.Track), m.Int(0)
	nothing := LSTMState{none, none}
	start := stackFrame{Top: nothing, Below: nothing, At: cursor{zero, LSTMState{silent, silent}}}
	tracker := s.follow(start, buffer)
	word := buffer.at(zero)
	recursion.Collect("transition", zero, m.Int(Shift))
	p.made(zero, word)
	return stackFrame{Top: word, Below: nothing, Depth: m.Int(1), At: cursor{m.Int(1), tracker}}
}

// stateList holds [? hidden] each.
type stateList struct{ H, C graph.Value }

func (l stateList) at(i graph.Value) LSTMState {
	return LSTMState{H: ops.At(l.H, i), C: ops.At(l.C, i)}
}

// buffer returns the states of the words, and behind them that of none.
func (s *spinn) buffer(words graph.Value) stateList {
	states := recursion.Map(words, func(word graph.Value) LSTMState {
		hc := ops.Split(s.word.Apply(s.embedding.Apply(word)), 2)
		return LSTMState{H: hc[0], C: hc[1]}
	})
	none := ops.List(s.module.Full(0, s.config.Hidden))
	return stateList{H: ops.Join(states.H, none), C: ops.Join(states.C, none)}
}

// follow returns the state of the tracking LSTM after a look at buffer and stack.
func (s *spinn) follow(f stackFrame, buffer stateList) LSTMState {
	seen := ops.Concat(ops.At(buffer.H, f.At.Pos), f.Top.H, f.Below.H)
	return s.track.Apply(seen, f.At.Tracker)
}

// reduce composes the upper two elements of the stack.
func (s *spinn) reduce(f stackFrame, tracker LSTMState) LSTMState {
	gates := ops.Split(s.compose.Apply(ops.Concat(f.Top.H, f.Below.H, tracker.H)), 5)
	i, top, below, o := ops.Sigmoid(gates[0]), ops.Sigmoid(gates[1]), ops.Sigmoid(gates[2]), ops.Sigmoid(gates[3])
	g := ops.Tanh(gates[4])
	return lstmState(o, ops.Add(ops.Mul(below, f.Below.C), ops.Mul(top, f.Top.C), ops.Mul(i, g)))
}
