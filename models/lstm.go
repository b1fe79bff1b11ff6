package models

import (
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
)

// LSTMState is what an LSTM hands on: its output and its memory cell.
type LSTMState struct{ H, C graph.Value } // [hidden]

// lstmState is the state after the memory cell became c, with output gate o.
func lstmState(o, c graph.Value) LSTMState {
	return LSTMState{H: ops.Mul(o, ops.Tanh(c)), C: c}
}

// lstmStateOf describes the types of a state.
func lstmStateOf(hidden int) LSTMState {
	return LSTMState{H: graph.F32(hidden), C: graph.F32(hidden)}
}
