// Package standin builds and loads a stand-in for cuBLAS, so that what calls cuBLAS can
// be tested on a machine without it.
//
// It has the functions that package cublas calls and computes products on the host, by
// their definition. It checks arguments as cuBLAS does, and reads and writes device
// memory by the copies of a driver, such as the emulated one, which checks ranges, the
// current context and the order of the stream.
//
// It does not emulate what cuBLAS keeps, time, or in which order it adds.
package standin
