package train

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/train/safetensors"
)

// Checkpoint is what a file keeps of a training run. Only Params must be there.
type Checkpoint struct {
	Params     *exec.Parameters
	Optimizer  Optimizer // nil when training is not to go on
	Progress   *Progress
	Vocabulary []byte // in any form that the program can read back
	Config     any    // what else is needed to make the program anew; stored as JSON
	History    any    // what was measured on the way; stored as JSON
}

// formatVersion is that of the metadata and the names of tensors. Files of another
// version are refused.
const formatVersion = 1

// Names in a file. Variables are stored under their own names, so that other programs
// find them; all else is under the prefix.
const (
	prefix         = "frond/"
	vocabularyName = prefix + "vocabulary"
	metaVersion    = "frond.version"
	metaProgram    = "frond.program"
	metaConfig     = "frond.config"
	metaProgress   = "frond.progress"
	metaHistory    = "frond.history"
	metaOptimizer  = "frond.optimizer"
	metaVocabulary = "frond.vocabulary.sha256"
	metaDigest     = "frond.sha256"
)

// slotName is the name of the tensor of an optimiser's slot.
func slotName(slot, variable string) string { return prefix + "optimizer/" + slot + "/" + variable }

// optimizerRecord is the metadata of an optimiser.
type optimizerRecord struct {
	Name     string          `json:"name"`
	Steps    int64           `json:"steps"`
	Settings json.RawMessage `json:"settings"`
}

// Save writes a checkpoint to the file path in the safetensors format. It replaces the
// file atomically: whatever happens, path holds the old checkpoint or the new one.
func Save(path string, c *Checkpoint) error {
	if err := c.check(true); err != nil {
		return fmt.Errorf("train: saving %s: %w", path, err)
	}
	// What a device has must come now: Read has no error to report.
	if err := c.Params.Sync(); err != nil {
		return fmt.Errorf("train: saving %s: %w", path, err)
	}
	meta, state, err := c.metadata()
	if err != nil {
		return fmt.Errorf("train: saving %s: %w", path, err)
	}
	// The parameters stay locked while they are written: a step cannot mix old and
	// new weights.
	c.Params.Read(func(values [][]float32) {
		var d digest
		var tensors []safetensors.Tensor
		add := func(name string, shape []int, x []float32) {
			tensors = append(tensors, safetensors.Of(name, shape, x))
			d.addFloats(name, x)
		}
		for _, v := range c.Params.Program().Variables {
			if strings.HasPrefix(v.Name, prefix) {
				err = fmt.Errorf("%w: the name of variable %q begins with %q, which is reserved", ErrSetting, v.Name, prefix)
				return
			}
			add(v.Name, v.Type.Shape, c.Params.Layout(v).RowMajor(values[v.Index]))
		}
		for _, s := range state.Slots {
			add(slotName(s.Name, s.Variable.Name), s.Variable.Type.Shape, s.Values)
		}
		if c.Vocabulary != nil {
			tensors = append(tensors, safetensors.Of(vocabularyName, []int{len(c.Vocabulary)}, c.Vocabulary))
			d.add(vocabularyName, c.Vocabulary)
		}
		meta[metaDigest] = d.sum(meta)
		err = safetensors.WriteFile(path, tensors, meta)
	})
	if err != nil {
		return fmt.Errorf("train: saving %s: %w", path, err)
	}
	return nil
}

// check reports what is missing, or is nil in disguise. Without required parameters
// they are only needed for the optimiser, whose state is about them.
func (c *Checkpoint) check(paramsRequired bool) error {
	if err := given("checkpoint", c); err != nil {
		return err
	}
	if c.Optimizer != nil {
		if err := given("field Optimizer of the checkpoint", c.Optimizer); err != nil {
			return err
		}
	}
	if c.Params == nil && !paramsRequired && c.Optimizer == nil {
		return nil
	}
	if err := given("field Params of the checkpoint", c.Params); err != nil {
		return err
	}
	return given("program of the parameters", c.Params.Program())
}

// metadata returns everything but the tensors, and the optimiser's state.
func (c *Checkpoint) metadata() (map[string]string, State, error) {
	meta := map[string]string{metaVersion: strconv.Itoa(formatVersion), metaProgram: c.Params.Program().Name}
	var state State
	var err error
	put := func(key string, x any) {
		text, e := json.Marshal(x)
		if e != nil && err == nil {
			err = fmt.Errorf("%s as JSON: %w", key, e)
		}
		meta[key] = string(text)
	}
	if c.Config != nil {
		put(metaConfig, c.Config)
	}
	if c.Progress != nil {
		put(metaProgress, c.Progress)
	}
	if c.History != nil {
		put(metaHistory, c.History)
	}
	if c.Optimizer != nil {
		var e error
		if state, e = c.Optimizer.State(c.Params); e != nil {
			return nil, state, fmt.Errorf("state of %s: %w", c.Optimizer.Name(), e)
		}
		settings, e := json.Marshal(c.Optimizer)
		if e != nil {
			return nil, state, fmt.Errorf("settings of %s as JSON: %w", c.Optimizer.Name(), e)
		}
		put(metaOptimizer, optimizerRecord{c.Optimizer.Name(), state.Steps, settings})
	}
	if c.Vocabulary != nil {
		meta[metaVocabulary] = hash(c.Vocabulary)
	}
	return meta, state, err
}

func hash(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
