package configfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
)

// ErrConfig means that a text is not a configuration.
var ErrConfig = errors.New("not a valid configuration")

// maxBytes limits what is read: a configuration that is larger is a file of another kind.
const maxBytes = 1 << 20

// Read decodes the file path into what dst, a pointer to a struct, points to.
func Read(path string, dst any) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	if err != nil {
		return err
	}
	if len(text) > maxBytes {
		return fmt.Errorf("%s: %w: it has more than %d bytes", path, ErrConfig, maxBytes)
	}
	return Decode(path, text, dst)
}

// Decode decodes a text into what dst, a pointer to a struct, points to. The name stands
// for the text in errors.
func Decode(name string, text []byte, dst any) error {
	d := decoder{name: name, text: text, json: json.NewDecoder(bytes.NewReader(text)), fields: fieldsOf(dst)}
	if err := d.object(); err != nil {
		d.errs = append(d.errs, err)
	}
	return errors.Join(d.errs...)
}

// fieldsOf returns the fields of a struct by their json names.
func fieldsOf(dst any) map[string]reflect.Value {
	fields := map[string]reflect.Value{}
	v := reflect.ValueOf(dst).Elem()
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		fields[name] = v.Field(i)
	}
	return fields
}

type decoder struct {
	name   string
	text   []byte
	json   *json.Decoder
	fields map[string]reflect.Value
	errs   []error // after which decoding can go on
}

// object decodes the text. It returns an error that nothing can be read after.
func (d *decoder) object() error {
	at := d.next()
	open, err := d.json.Token()
	if err != nil {
		return d.syntax(err)
	}
	if open != json.Delim('{') {
		return d.errorf(at, "found %v, want { and settings", describe(open))
	}
	seen := map[string]int{}
	for d.json.More() {
		if err := d.setting(seen); err != nil {
			return err
		}
	}
	if _, err := d.json.Token(); err != nil {
		return d.syntax(err)
	}
	if at := d.next(); at < len(d.text) {
		return d.errorf(at, "found something behind the settings, want the end")
	}
	return nil
}

// setting decodes a key and its value.
func (d *decoder) setting(seen map[string]int) error {
	at := d.next()
	token, err := d.json.Token()
	if err != nil {
		return d.syntax(err)
	}
	key, _ := token.(string) // a Decoder takes nothing else for a key
	valueAt := d.next()
	var value json.RawMessage
	if err := d.json.Decode(&value); err != nil {
		return d.syntax(err)
	}
	field, known := d.fields[key]
	first, twice := seen[key]
	seen[key] = at
	switch {
	case !known:
		d.errs = append(d.errs, d.errorf(at, "there is no setting %q; there are %s", key, strings.Join(slices.Sorted(maps.Keys(d.fields)), ", ")))
	case twice:
		d.errs = append(d.errs, d.errorf(at, "%q comes a second time, after %s", key, d.place(first)))
	case string(value) == "null" || json.Unmarshal(value, field.Addr().Interface()) != nil:
		d.errs = append(d.errs, d.errorf(valueAt, "%q is %s, want %s", key, shorten(value), wanted(field.Type())))
	}
	return nil
}

// wanted names what a field takes.
func wanted(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a string"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Uint, reflect.Uint32, reflect.Uint64:
		return "a whole number that is not negative"
	}
	return "a whole number"
}

func describe(t json.Token) string {
	if s, ok := t.(string); ok {
		return fmt.Sprintf("%q", s)
	}
	return fmt.Sprint(t)
}

// shorten keeps errors about long values readable.
func shorten(value []byte) string {
	const most = 40
	s := strings.ToValidUTF8(string(bytes.Join(bytes.Fields(value), []byte(" "))), "\uFFFD")
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "..."
	}
	return s
}

// next returns where the next token begins.
func (d *decoder) next() int {
	at := int(d.json.InputOffset())
	for at < len(d.text) && bytes.IndexByte([]byte(" \t\r\n,:"), d.text[at]) >= 0 {
		at++
	}
	return at
}

// syntax reports what the JSON decoder says at the place where it says it.
func (d *decoder) syntax(err error) error {
	if e, ok := errors.AsType[*json.SyntaxError](err); ok {
		return d.errorf(max(d.next(), int(e.Offset)-1), "%v", err) // Offset is that of the next token, or behind the byte
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return d.errorf(len(d.text), "the settings end too early")
	}
	return d.errorf(d.next(), "%v", err)
}

func (d *decoder) errorf(at int, format string, args ...any) error {
	return fmt.Errorf("%s: %w: "+format, append([]any{d.place(at), ErrConfig}, args...)...)
}

// place is a position as file:line:column, the column in bytes.
func (d *decoder) place(at int) string {
	before := d.text[:min(at, len(d.text))]
	line := 1 + bytes.Count(before, []byte("\n"))
	column := len(before) - bytes.LastIndexByte(before, '\n')
	return fmt.Sprintf("%s:%d:%d", d.name, line, column)
}
