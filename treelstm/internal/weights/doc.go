// Package weights looks into the tensors of a safetensors file, of any element type that
// the format has: summaries, and the text of single elements.
//
//	s, err := weights.Summarise(ctx, r, "embedding")
//	text, err := weights.Text(r, "embedding")
//
// Tensors are read piece by piece and never held in memory, so that files larger than
// that can be looked at. Errors are those of package safetensors, or the context's.
package weights
