package normalize

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/trimtab/trimtab"
)

// Image is a picture with its bytes, which every API takes in a form of its own.
type Image struct {
	Media string // as in "image/png"
	Data  string // in base64
}

// The pictures of all APIs in one.
type picture struct {
	Source struct {
		Type  string `json:"type"`
		Media string `json:"media_type"`
		Data  string `json:"data"`
	} `json:"source"`
	URL struct {
		URL string `json:"url"`
	} `json:"image_url"`
	Inline struct {
		Media string `json:"mimeType"`
		Data  string `json:"data"`
	} `json:"inlineData"`
}

// Picture reads a part that is a picture, in whichever API's form.
func Picture(p trimtab.Opaque) (Image, bool) {
	var pic picture
	if !Is(p.Raw) || json.Unmarshal(p.Raw, &pic) != nil {
		return Image{}, false
	}
	var out Image
	switch {
	case pic.Source.Type == "base64":
		out = Image{pic.Source.Media, pic.Source.Data}
	case pic.Inline.Data != "":
		out = Image{pic.Inline.Media, pic.Inline.Data}
	default:
		rest, ok := strings.CutPrefix(pic.URL.URL, "data:")
		media, data, both := strings.Cut(rest, ";base64,")
		if !ok || !both {
			return Image{}, false
		}
		out = Image{media, data}
	}
	return out, strings.HasPrefix(out.Media, "image/") && base64(out.Data)
}

// base64 reports whether a text is written in base64, near enough.
func base64(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '+' && r != '/' && r != '='
	})
}

// Anthropic is the picture as a block of the Messages API.
func (i Image) Anthropic() json.RawMessage {
	return encoded(map[string]any{"type": "image", "source": map[string]string{"type": "base64", "media_type": i.Media, "data": i.Data}})
}

// Chat is the picture as a part of the Chat Completions API.
func (i Image) Chat() json.RawMessage {
	return encoded(map[string]any{"type": "image_url", "image_url": map[string]string{"url": "data:" + i.Media + ";base64," + i.Data}})
}

// Gemini is the picture as a part of the Gemini API.
func (i Image) Gemini() json.RawMessage {
	return encoded(map[string]any{"inlineData": map[string]string{"mimeType": i.Media, "data": i.Data}})
}

func encoded(v any) json.RawMessage {
	raw, err := Encode(v)
	if err != nil { // texts always encode
		return json.RawMessage("{}")
	}
	return raw
}

// Missing stands for a part that an API does not take, so that the model knows
// that there was something.
func Missing(p trimtab.Opaque) string {
	kind := strings.Join(strings.Fields(valid(p.Kind)), " ")
	if kind == "" {
		kind = "unknown"
	}
	if r := []rune(kind); len(r) > 60 {
		kind = string(r[:60]) + "…"
	}
	return fmt.Sprintf("[a part that cannot be shown here: %s]", kind)
}
