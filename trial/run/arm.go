package run

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/trimtab/trimtab/internal/config"
	"github.com/trimtab/trimtab/internal/plainfile"
)

// The arms that need no file.
const (
	Off = "off" // nothing speaks; requests pass the same gateway, so both are measured alike
	On  = "on"  // the person's own settings
)

// silent switches off everything that speaks to a model unasked.
const silent = `{"todoReminder":{"enabled":false},"automataMode":{"enabled":false},"guard":{"enabled":false},"stop":{"enabled":false},"verify":{"enabled":false},"autonomy":{"level":"manual"},"interventions":{}}`

// forced is what a run cannot have otherwise: its session is in its own folder.
const forced = `{"store":{"url":""},"run":{"title":false},"telemetry":{"traces":""}}`

const maxSettings = 1 << 20

// arm is one side of a comparison.
type arm struct {
	name     string
	settings []byte // the person's own with those of the arm laid over them
	hash     string
}

// openArm reads an arm: off, on, or a file of settings.
func openArm(word string, own []byte) (arm, error) {
	a := arm{name: word}
	over := []byte("{}")
	switch word {
	case Off:
		over = []byte(silent)
	case On:
	default:
		raw, err := plainfile.Read(word, maxSettings)
		if err == nil && raw == nil {
			err = fmt.Errorf("there is no such file")
		}
		if err != nil {
			return a, fmt.Errorf("--arm %s: it is neither off nor on, and cannot be read as a file of settings: %w", word, err)
		}
		over, a.name = raw, strings.TrimSuffix(filepath.Base(word), filepath.Ext(word))
	}
	layers := [][]byte{own, over, []byte(forced)}
	all := map[string]any{}
	for _, layer := range layers {
		if len(bytes.TrimSpace(layer)) == 0 {
			continue
		}
		plain, line, err := config.Standardize(layer)
		if err != nil {
			return a, fmt.Errorf("--arm %s: line %d: %w", word, line, err)
		}
		var object map[string]any
		if err := json.Unmarshal(plain, &object); err != nil {
			return a, fmt.Errorf("--arm %s: the settings are no JSON object: %w", word, err)
		}
		lay(all, object)
	}
	var err error
	a.settings, err = json.MarshalIndent(all, "", "  ")
	a.hash = digest(a.settings)
	return a, err
}

// lay puts the keys of one object over those of another.
func lay(below, over map[string]any) {
	for key, value := range over {
		inner, ok := value.(map[string]any)
		under, ok2 := below[key].(map[string]any)
		if ok && ok2 {
			lay(under, inner)
			continue
		}
		below[key] = value
	}
}

func digest(parts ...[]byte) string {
	sum := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(sum, "%d\n", len(p))
		sum.Write(p)
	}
	return hex.EncodeToString(sum.Sum(nil))[:16]
}
