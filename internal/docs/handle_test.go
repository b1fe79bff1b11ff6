package docs

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/ops"
)

// explain is how a program may tell kinds of errors apart.
func explain(err error) string {
	switch {
	case errors.Is(err, exec.ErrMemory):
		return "the input is too large"
	case errors.Is(err, ops.ErrIndex):
		return "the input names something that does not exist"
	case errors.Is(err, context.Canceled):
		return "nobody waits for the answer"
	}
	return "something is wrong"
}

func TestExplain(t *testing.T) {
	assert.Equal(t, "the input is too large", explain(provokeMemory()))
	assert.Equal(t, "the input names something that does not exist", explain(provokeIndex()))
	assert.Equal(t, "nobody waits for the answer", explain(fmt.Errorf("run: %w", context.Canceled)))
	assert.Equal(t, "something is wrong", explain(provokeDivide()))
}
