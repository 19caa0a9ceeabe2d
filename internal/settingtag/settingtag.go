// Package settingtag reads the declaration of settings from struct tags: json for
// the key, default, min and max, enum, doc. Every package keeps a Config of its own
// and has it filled and checked here; internal/config makes files, origins and the
// JSON schema of the same tags.
//
//	type Config struct {
//		Turns int `json:"turns" default:"8" min:"1" max:"1000" doc:"steps before the first reminder"`
//	}
//	cfg, err := settingtag.Fill(Config{}) // Turns is 8
//
// It reads no file and knows no setting.
package settingtag

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Field is one key of a Config, as its struct tags declare it: json for the
// name, default, min and max, enum, doc.
type Field struct {
	Name    string
	Doc     string
	Default string
	Min     string
	Max     string
	Enum    []string
	Tag     reflect.StructTag
}

// FieldOf reads the declaration of a struct's field. ok is false for one that
// has no key.
func FieldOf(f reflect.StructField) (Field, bool) {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if name == "" || name == "-" {
		return Field{}, false
	}
	d := Field{Name: name, Doc: f.Tag.Get("doc"), Default: f.Tag.Get("default"), Min: f.Tag.Get("min"), Max: f.Tag.Get("max"), Tag: f.Tag}
	if e := f.Tag.Get("enum"); e != "" {
		d.Enum = strings.Split(e, ",")
	}
	return d, true
}

// Allowed says what values the field takes, in words for a person.
func (f Field) Allowed(kind reflect.Kind) string {
	switch {
	case len(f.Enum) > 0:
		return strings.Join(f.Enum, " or ")
	case kind == reflect.Bool:
		return "true or false"
	case kind == reflect.Int:
		return "a whole number" + f.span()
	case kind == reflect.Float64:
		return "a number" + f.span()
	}
	return "text"
}

func (f Field) span() string {
	switch {
	case f.Min != "" && f.Max != "":
		return " from " + f.Min + " to " + f.Max
	case f.Min != "":
		return " of at least " + f.Min
	case f.Max != "":
		return " of at most " + f.Max
	}
	return ""
}

// Check refuses a value that the field does not take.
func (f Field) Check(v reflect.Value) error {
	bad := false
	switch v.Kind() {
	case reflect.Int, reflect.Float64:
		var n float64
		if v.Kind() == reflect.Int {
			n = float64(v.Int())
		} else {
			n = v.Float()
		}
		bad = n != n || f.Min != "" && n < number(f.Min) || f.Max != "" && n > number(f.Max)
	case reflect.String:
		bad = len(f.Enum) > 0 && !slices.Contains(f.Enum, v.String())
	}
	if bad {
		return fmt.Errorf("%s: %v is not allowed; give %s", f.Name, v, f.Allowed(v.Kind()))
	}
	return nil
}

// Fill returns the Config with its defaults in the place of zero values, and
// every field that is out of range named in the error.
func Fill[T any](cfg T) (T, error) {
	v := reflect.ValueOf(&cfg).Elem()
	var errs []error
	for i := range v.NumField() {
		f, ok := FieldOf(v.Type().Field(i))
		if !ok {
			continue
		}
		fv := v.Field(i)
		if fv.IsZero() && f.Default != "" {
			setText(fv, f.Default)
		}
		if fv.Kind() == reflect.Pointer {
			if fv.IsNil() {
				continue
			}
			fv = fv.Elem()
		}
		errs = append(errs, f.Check(fv))
	}
	return cfg, errors.Join(errs...)
}

// setText sets a field from the text of its default.
func setText(v reflect.Value, text string) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		setText(v.Elem(), text)
	case reflect.Bool:
		v.SetBool(text == "true")
	case reflect.Int:
		n, _ := strconv.Atoi(text)
		v.SetInt(int64(n))
	case reflect.Float64:
		v.SetFloat(number(text))
	case reflect.String:
		v.SetString(text)
	}
}

func number(s string) float64 {
	n, _ := strconv.ParseFloat(s, 64)
	return n
}
