package device

// Rule is a method of optimisation, as package train describes it.
type Rule uint8

// Rules, with what they keep and their coefficients in the order of Update.Coefficients.
const (
	SGD      Rule = iota // nothing; rate
	Momentum             // velocity; rate, decay
	Adagrad              // sum of squares; rate, epsilon
	Adam                 // mean, mean square; rate, beta1, beta2, epsilon, 1/(1-beta1^t), 1/(1-beta2^t)
)

// Update is a step of an optimiser with one variable.
type Update struct {
	Rule         Rule
	Coefficients [6]float32
	L2           float32   // the loss includes L2/2*w² for every weight that changes
	Weights      Buffer    // all words of it; with Rows, rows of Width words
	Slots        [2]Buffer // as long as the weights
	// Gradient has an element for each of the weights or, with Rows, a row of Width
	// elements for each of the Count rows that change. No two of these are the same, and
	// Count and Width count only with Rows.
	Gradient Buffer
	Rows     Index
	Count    int
	Width    int
}
