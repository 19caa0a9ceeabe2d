package jsonscan_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	"github.com/trimtab/trimtab/internal/jsonscan"
)

func TestReadable(t *testing.T) {
	for in, want := range map[string]string{
		`{ "command": "cd x \u0026\u0026 go test 2\u003e\u00261 \u003c in" }`: `{"command":"cd x && go test 2>&1 < in"}`,
		`{"a":"\\u0026 \u0027 \u005C \n"}`:                                    `{"a":"\\u0026 \u0027 \u005C \n"}`, // a backslash and letters; other escapes
		`{"a":"\u003C"}`:                                                      `{"a":"<"}`,
		`{"cut": "\u0026 a`:                                                   `{"cut": "\u0026 a`,
		``:                                                                    ``,
	} {
		if got := string(jsonscan.Readable([]byte(in))); got != want {
			t.Errorf("%s\nis  %s\nnot %s", in, got, want)
		}
	}
}

func FuzzReadable(f *testing.F) {
	f.Add([]byte(`{"a":"\u003c\\u003c\\\u0026\u2028"}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		out := jsonscan.Readable(in)
		var was, is any
		if json.Unmarshal(in, &was) != nil {
			if !bytes.Equal(out, in) {
				t.Errorf("%q became %q", in, out)
			}
			return
		}
		if err := json.Unmarshal(out, &is); err != nil || !reflect.DeepEqual(was, is) {
			t.Errorf("%q means another thing than %q: %v", out, in, err)
		}
	})
}
