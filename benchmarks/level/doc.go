// Package level holds a binary Tree-LSTM written by hand on the kernels of this
// module: all leaves of a mini-batch are one product, then all nodes of equal
// height are one product, the gradient of a weight is one product over all rows,
// and weights live in packed form. It is the limit against which the runtime is
// measured, which reaches the same by planning a general program.
//
// It is not for use: it can do this one model only, supposes that trees are valid
// and that every node has a label, and panics where they are not.
//
// # The model
//
// That of models.NewTreeLSTM, with the same variables, blocks of gates and loss:
//
//	leaf    [i o u]       = W E[word] + bW   c = σ(i) ⊙ tanh(u)
//	inner   [i fl fr o u] = U [hl hr] + bU   c = σ(i) ⊙ tanh(u) + σ(fl) ⊙ cl + σ(fr) ⊙ cr
//	both    h = σ(o) ⊙ tanh(c)               loss = -log softmax(Ws h + bs)[label]
//
// # Ownership, concurrency, errors
//
// A [Network] copies its parameters and uses up to Config.Workers goroutines while
// one of its methods runs; it is for one caller at a time. Nothing is kept of the
// trees after a method returned, and no memory is allocated per node once the
// largest mini-batch has been seen. Only [New] returns errors.
package level
