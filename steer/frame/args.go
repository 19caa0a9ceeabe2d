package frame

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/settingtag"
)

// target reads an id and the text behind it.
func target(args []string) (id, text string, err error) {
	in := struct {
		ID      string `json:"id"`
		Reason  string `json:"reason"`
		Summary string `json:"summary"`
	}{}
	if isObject(args) {
		err := object(args, &in)
		return in.ID, in.Reason + in.Summary, err
	}
	if len(args) == 0 {
		return "", "", nil
	}
	return args[0], strings.Join(args[1:], " "), nil
}

func isObject(args []string) bool {
	return len(args) > 0 && strings.HasPrefix(strings.TrimSpace(args[0]), "{")
}

// object reads arguments that are one JSON object. Words are left alone.
func object(args []string, to any) error {
	if !isObject(args) {
		return nil
	}
	dec := json.NewDecoder(strings.NewReader(strings.Join(args, " "))) // a chat splits it at its spaces
	dec.DisallowUnknownFields()
	err := dec.Decode(to)
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &kind):
		return fmt.Errorf("%s: a %s is not allowed; give %s", kind.Field, kind.Value, kindOf(kind.Type))
	case err != nil:
		return fmt.Errorf("the arguments are no object as expected: %s", strings.TrimPrefix(err.Error(), "json: "))
	case dec.More():
		return fmt.Errorf("the arguments are more than one object")
	}
	return nil
}

func kindOf(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Int:
		return "a whole number"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "a list of texts"
	}
	return "text"
}

// named reads arguments of the form key=value into the fields of a struct, or
// one JSON object. A word without = goes on with the value before it.
func named[T any](args []string, to T) (T, error) {
	if isObject(args) {
		if err := object(args, &to); err != nil {
			return to, err
		}
		return settingtag.Fill(to)
	}
	var pairs [][2]string
	for _, a := range args {
		key, value, ok := strings.Cut(a, "=")
		switch {
		case ok:
			pairs = append(pairs, [2]string{key, value})
		case len(pairs) > 0:
			pairs[len(pairs)-1][1] += " " + a
		default:
			return to, fmt.Errorf("%q: give KEY=VALUE", trimtab.Clip(a, 60))
		}
	}
	v := reflect.ValueOf(&to).Elem()
	for _, p := range pairs {
		if err := assign(v, p[0], p[1]); err != nil {
			return to, err
		}
	}
	return settingtag.Fill(to)
}

// assign sets the field that a key names from text.
func assign(v reflect.Value, key, text string) error {
	var names []string
	for i := range v.NumField() {
		f, ok := settingtag.FieldOf(v.Type().Field(i))
		if !ok {
			continue
		}
		names = append(names, f.Name)
		if f.Name != key {
			continue
		}
		to := v.Field(i)
		kind := to.Type()
		if kind.Kind() == reflect.Pointer {
			kind = kind.Elem()
		}
		value := reflect.New(kind).Elem()
		switch kind.Kind() {
		case reflect.Int:
			n, err := strconv.Atoi(strings.TrimSpace(text))
			if err != nil {
				return fmt.Errorf("%s: %q is not allowed; give %s", key, trimtab.Clip(text, 40), f.Allowed(kind.Kind()))
			}
			value.SetInt(int64(n))
		case reflect.Bool:
			b, err := strconv.ParseBool(strings.TrimSpace(text))
			if err != nil {
				return fmt.Errorf("%s: %q is not allowed; give true or false", key, trimtab.Clip(text, 40))
			}
			value.SetBool(b)
		case reflect.Slice:
			value.Set(reflect.ValueOf(commas(text)))
		default:
			value.SetString(strings.TrimSpace(text))
		}
		if to.Kind() == reflect.Pointer {
			p := reflect.New(kind)
			p.Elem().Set(value)
			value = p
		}
		to.Set(value)
		return nil
	}
	return fmt.Errorf("there is no %q; give some of %s", trimtab.Clip(key, 40), strings.Join(names, ", "))
}

func commas(text string) []string {
	out := []string{}
	for s := range strings.SplitSeq(text, ",") {
		if s = strings.TrimSpace(s); s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}
