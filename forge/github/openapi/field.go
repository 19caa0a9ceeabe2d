package openapi

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
)

// unknown returns the fields of a body that its description does not have. A
// schema permits them, and the server would pass over them in silence.
func unknown(content openapi3.Content, body []byte) []string {
	form := content.Get("application/json")
	if form == nil || form.Schema == nil {
		return nil
	}
	var v any
	if err := json.Unmarshal(body, &v); err != nil {
		return []string{"the body is no JSON: " + err.Error()}
	}
	return strange([]*openapi3.SchemaRef{form.Schema}, v, "")
}

// strange looks at a value for which some schemas may count.
func strange(forms []*openapi3.SchemaRef, v any, at string) []string {
	forms = spread(forms)
	var out []string
	switch v := v.(type) {
	case []any:
		var items []*openapi3.SchemaRef
		for _, f := range forms {
			if f.Value.Items != nil {
				items = append(items, f.Value.Items)
			}
		}
		for i, one := range v {
			out = append(out, strange(items, one, fmt.Sprintf("%s/%d", at, i))...)
		}
	case map[string]any:
		if free(forms) {
			return nil
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			var known []*openapi3.SchemaRef
			for _, f := range forms {
				if p := f.Value.Properties[name]; p != nil {
					known = append(known, p)
				}
			}
			if len(known) == 0 {
				out = append(out, fmt.Sprintf("%s/%s: there is no such field", at, name))
				continue
			}
			out = append(out, strange(known, v[name], at+"/"+name)...)
		}
	}
	return out
}

// spread adds the schemas that others are made of.
func spread(forms []*openapi3.SchemaRef) []*openapi3.SchemaRef {
	var out []*openapi3.SchemaRef
	for _, f := range forms {
		if f == nil || f.Value == nil {
			continue
		}
		out = append(out, f)
		out = append(out, spread(slices.Concat(f.Value.AllOf, f.Value.AnyOf, f.Value.OneOf))...)
	}
	return out
}

// free reports whether an object may have any field: no schema names some, or one
// says so.
func free(forms []*openapi3.SchemaRef) bool {
	named := false
	for _, f := range forms {
		more := f.Value.AdditionalProperties
		if more.Schema != nil || more.Has != nil && *more.Has {
			return true
		}
		named = named || len(f.Value.Properties) > 0
	}
	return !named
}
