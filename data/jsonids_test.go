package data

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func jsonTree(t *testing.T, text string) *Tree {
	t.Helper()
	tree, err := NewJSONReader(strings.NewReader(text), "", JSONOptions{}).Next()
	require.NoError(t, err)
	return tree
}

func TestJSONIDs(t *testing.T) {
	known := jsonTree(t, `{"a": 1, "b": {"a": "x"}}`)
	keys := BuildVocabulary(JSONKeys(known), VocabularyOptions{})
	require.Equal(t, 3, keys.Len()) // <unk>, a, b
	ids, err := NewJSONIDs(keys, 10)
	require.NoError(t, err)
	assert.Equal(t, 5+33+10+3, ids.Len())

	got, err := ids.IDs(jsonTree(t, `[{"b": null, "a": true, "?": false}, []]`))
	require.NoError(t, err)
	assert.Equal(t, []int32{2, 50, 4, 49, 3, 48, 0, 1, 1}, got)
}

func TestJSONIDsOfNumbers(t *testing.T) {
	ids, err := NewJSONIDs(BuildVocabulary(JSONKeys(), VocabularyOptions{}), 1)
	require.NoError(t, err)
	magnitude := func(number string) int32 {
		got, err := ids.IDs(jsonTree(t, number))
		require.NoError(t, err, number)
		return got[0] - 6 + jsonMagnitudeMin
	}
	for number, want := range map[string]int32{
		"1": 0, "9.99": 0, "10": 1, "99": 1, "1000": 3, "999.9999": 2, "1e12": 12, "1e13": 12, "1e999": 12,
		"0.1": -1, "0.001": -3, "0.0001": -3, "1e-300": -3, "12345.678e-2": 2,
		"-1": 16, "-1e5": 21, "-1e99999": 28, "-0.00001": 13,
	} {
		assert.Equal(t, want, magnitude(number), number)
	}
	for _, zero := range []string{"0", "-0", "0.0", "0e5", "1e-999"} {
		assert.Equal(t, int32(5-6+jsonMagnitudeMin), magnitude(zero), zero)
	}
}

// The hash is part of what a trained model means, so it must never change.
func TestJSONIDsOfStrings(t *testing.T) {
	ids, err := NewJSONIDs(BuildVocabulary(JSONKeys(), VocabularyOptions{}), 1000)
	require.NoError(t, err)
	got, err := ids.IDs(jsonTree(t, `["", "a", "foobar"]`))
	require.NoError(t, err)
	// FNV-1a of "", "a" and "foobar" as its authors publish them.
	assert.Equal(t, []int32{38 + 0x811c9dc5%1000, 38 + 0xe40c292c%1000, 38 + 0xbf9cf968%1000, 1}, got)
}

func TestJSONIDsErrors(t *testing.T) {
	_, err := NewJSONIDs(BuildVocabulary(JSONKeys(), VocabularyOptions{NoUnknown: true}), 1)
	require.ErrorIs(t, err, ErrOption)
	for _, buckets := range []int{-1, 0, MaxStringBuckets + 1} {
		_, err = NewJSONIDs(BuildVocabulary(JSONKeys(), VocabularyOptions{}), buckets)
		require.ErrorIs(t, err, ErrOption)
	}
	ids, err := NewJSONIDs(BuildVocabulary(JSONKeys(), VocabularyOptions{}), 1)
	require.NoError(t, err)
	for _, bracket := range []string{"(2 a)", "(NP a)", "(number 12a)"} {
		tree, err := NewPTBReader(strings.NewReader(bracket), "", PTBOptions{}).Next()
		require.NoError(t, err)
		_, err = ids.IDs(tree)
		require.ErrorIs(t, err, ErrTree, bracket)
	}
}
