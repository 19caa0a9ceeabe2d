package setup

import (
	"encoding/json"

	"github.com/trimtab/trimtab/host/launch"
)

func object(text []byte) (map[string]any, error) {
	var doc map[string]any
	err := json.Unmarshal(text, &doc)
	return doc, err
}

func compact(v any) string {
	text, _ := json.Marshal(v) // of what was JSON or TOML before
	return string(text)
}

// MergeJSON is the second object over the first; the second where one is no object.
func MergeJSON(a, b string) string {
	first, err := object([]byte(a))
	second, other := object([]byte(b))
	if err != nil || other != nil {
		return b
	}
	return compact(launch.Merge(first, second))
}
