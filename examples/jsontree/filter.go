package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
)

// verdict is what can be said of a filter without looking at any record. The order is
// that of truth: the verdict of an "and" is the least of its parts.
type verdict int32

const (
	never   verdict = iota // matches no record
	depends                // looks at the record
	always                 // matches every record
	verdicts
)

var verdictNames = [verdicts]string{"never", "depends", "always"}

// A filter is a JSON document in the query language of MongoDB, as far as this:
//
//	filter = {} | condition | {"$and": [filter...]} | {"$or": [filter...]} | {"$nor": [filter...]}
//
// {} matches everything and {"x": {"$in": []}} nothing.
type filter any

// condition looks at a field.
func condition(rng *rand.Rand) filter {
	switch rng.IntN(4) {
	case 0:
		return map[string]any{"status": []string{"open", "closed", "new"}[rng.IntN(3)]}
	case 1:
		return map[string]any{"age": map[string]any{[]string{"$lt", "$gte"}[rng.IntN(2)]: rng.IntN(100)}}
	case 2:
		return map[string]any{"paid": rng.IntN(2) == 0}
	}
	tags := []string{"red", "green", "blue"}
	return map[string]any{"tag": map[string]any{"$in": tags[:1+rng.IntN(3)]}}
}

// generate makes a filter of at most the given depth. The verdict is Kleene's: a filter
// with a part that depends may be decided by the others.
func generate(rng *rand.Rand, depth int) (filter, verdict) {
	if depth == 0 || rng.IntN(5) == 0 {
		switch rng.IntN(4) {
		case 0:
			return map[string]any{}, always
		case 1:
			return map[string]any{"tag": map[string]any{"$in": []string{}}}, never
		}
		return condition(rng), depends
	}
	parts, least, most := []filter{}, always, never
	for range 2 + rng.IntN(2) {
		f, v := generate(rng, depth-1)
		parts, least, most = append(parts, f), min(least, v), max(most, v)
	}
	switch rng.IntN(3) {
	case 0:
		return map[string]any{"$and": parts}, least
	case 1:
		return map[string]any{"$or": parts}, most
	}
	return map[string]any{"$nor": parts}, always - most
}

// write writes n different filters of a depth as lines of JSON, with as many of each
// verdict, in turn. It leaves out those in seen and adds the others.
func write(rng *rand.Rand, n, depth int, seen map[string]bool) ([]byte, error) {
	var out bytes.Buffer
	for tries, written := 0, 0; written < n; tries++ {
		if tries > 1000*(n+1) {
			return nil, fmt.Errorf("found %d different filters of depth %d, want %d", written, depth, n)
		}
		f, v := generate(rng, depth)
		if int(v) != written%int(verdicts) {
			continue
		}
		line, err := json.Marshal(f)
		if err != nil {
			return nil, err
		}
		if !seen[string(line)] {
			seen[string(line)] = true
			out.Write(append(line, '\n'))
			written++
		}
	}
	return out.Bytes(), nil
}
