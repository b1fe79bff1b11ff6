package configfile_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/treelstm/internal/configfile"
)

type settings struct {
	Data   string  `json:"data"`
	Hidden int     `json:"hidden"`
	Rate   float64 `json:"learning_rate"`
	Seed   uint64  `json:"seed"`
	Lower  bool    `json:"lower,omitempty"`
}

func TestDecode(t *testing.T) {
	s := settings{Data: "kept", Hidden: 1, Seed: 9}
	require.NoError(t, configfile.Decode("c.json", []byte(" {\n\t\"hidden\" : 150, \"learning_rate\": 1e-2,\n\"lower\":true }\n"), &s))
	assert.Equal(t, settings{"kept", 150, 0.01, 9, true}, s)
	require.NoError(t, configfile.Decode("c.json", []byte("{}"), &s))
	assert.Equal(t, settings{"kept", 150, 0.01, 9, true}, s)
}

func TestMistakesHavePositions(t *testing.T) {
	for text, want := range map[string][]string{
		"":                                 {"c.json:1:1: not a valid configuration: the settings end too early"},
		"[1]":                              {"c.json:1:1:", "found [, want {"},
		`"x"`:                              {"c.json:1:1:", `found "x", want {`},
		"{\n  \"hiden\": 3,\n \"sed\": 1}": {`c.json:2:3: not a valid configuration: there is no setting "hiden"; there are data, hidden, learning_rate, lower, seed`, `c.json:3:2:`, `"sed"`},
		`{"hidden": "big", "seed": -1, "lower": 1, "data": false, "learning_rate": "x"}`: {
			`c.json:1:12: not a valid configuration: "hidden" is "big", want a whole number`, `c.json:1:27:`, `"seed" is -1, want a whole number that is not negative`,
			`c.json:1:40:`, `"lower" is 1, want true or false`, `"data" is false, want a string`, `"learning_rate" is "x", want a number`},
		`{"hidden": 1.5}`:                                 {`c.json:1:12:`, `"hidden" is 1.5, want a whole number`},
		`{"hidden": null}`:                                {`c.json:1:12:`, `"hidden" is null, want a whole number`},
		`{"hidden": {"a": [1, 2]}}`:                       {`"hidden" is {"a": [1, 2]}, want a whole number`},
		`{"seed": 99999999999999999999999}`:               {`"seed" is 99999999999999999999999, want`},
		"{\"hidden\": 1,\n\"hidden\": 2}":                 {`c.json:2:1:`, `"hidden" comes a second time, after c.json:1:2`},
		"{\"hidden\": 1,\n  oops}":                        {"c.json:2:3:", "invalid character 'o'"},
		"{\"hidden\": 1":                                  {"c.json:1:13:", "end too early"},
		"{\"hidden\": 1}\n {}":                            {"c.json:2:2:", "want the end"},
		`{"data": "` + strings.Repeat("long", 9999) + `}`: {"c.json:1:"},
		`{"hidden": "` + strings.Repeat("é", 9999) + `"}`: {"ééé..., want a whole number"},
		`{"a": ` + strings.Repeat("[", 1<<17):             {"c.json:1:"},
		"{\"hidden\": 3 \"seed\": 1}":                     {"c.json:1:14:", "after object key:value pair"},
		`{"Hidden": 1}`:                                   {`there is no setting "Hidden"`},
		"\xef\xbb\xbf{}":                                  {"c.json:1:1:"},
	} {
		err := configfile.Decode("c.json", []byte(text), &settings{})
		require.ErrorIs(t, err, configfile.ErrConfig, "%.50q", text)
		for _, w := range want {
			assert.ErrorContains(t, err, w, "%.50q", text)
		}
	}
}

func TestRead(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "c.json")
	var s settings
	require.ErrorIs(t, configfile.Read(path, &s), os.ErrNotExist)
	require.NoError(t, os.WriteFile(path, []byte(`{"hidden": 7}`), 0o600))
	require.NoError(t, configfile.Read(path, &s))
	assert.Equal(t, 7, s.Hidden)
	require.NoError(t, os.WriteFile(path, make([]byte, 2<<20), 0o600))
	err := configfile.Read(path, &s)
	require.ErrorIs(t, err, configfile.ErrConfig)
	assert.ErrorContains(t, err, path+": ")
	assert.Error(t, configfile.Read(dir, &s))
}

// Whatever it is given, Decode returns; what it takes, encoding/json takes as well and
// understands alike.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"data": "x", "hidden": 3, "learning_rate": 0.5, "seed": 7, "lower": false}`))
	f.Add([]byte("{\n\"hidden\": 1, \"hidden\": [2]}"))
	f.Add([]byte(`{"\u0064ata": "x"`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var got, want settings
		err := configfile.Decode("c", text, &got)
		if err == nil {
			require.NoError(t, json.Unmarshal(text, &want))
			require.Equal(t, want, got)
			return
		}
		require.True(t, errors.Is(err, configfile.ErrConfig))
	})
}
