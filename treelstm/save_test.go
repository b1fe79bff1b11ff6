package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestInterval(t *testing.T) {
	for text, want := range map[string]interval{
		"100": {steps: 100}, "0": {}, "30s": {time: 30 * time.Second}, "1h30m": {time: 90 * time.Minute},
	} {
		var i interval
		require.NoError(t, i.Set(text), text)
		assert.Equal(t, want, i)
		again := interval{steps: 7, time: 7}
		if s := i.String(); s != "" {
			require.NoError(t, again.Set(s))
			assert.Equal(t, want, again, "what is printed is what is read")
		}
	}
	for _, text := range []string{"", "-1", "-1s", "soon", "10 steps", "99999999999999999999"} {
		assert.Error(t, new(interval).Set(text), text)
	}
}

func TestSaverIsDue(t *testing.T) {
	var s saver
	s.begin(7)
	for step := range int64(10) {
		assert.Equal(t, step%3 == 0, s.due(interval{steps: 3}, step))
		assert.False(t, s.due(interval{}, step))
		assert.False(t, s.due(interval{time: time.Hour}, step))
	}
	s.at = time.Now().Add(-time.Minute)
	assert.True(t, s.due(interval{time: time.Minute}, 1))
}
