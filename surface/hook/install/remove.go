package install

import (
	"encoding/json"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/trimtab/trimtab/surface/hook/spool"
)

// isOurs reports whether a command is a hook of ours for an event of a host.
func isOurs(command, host, event string) bool {
	_, e, ok := spool.Find(host, event)
	head, ends := strings.CutSuffix(command, " "+host+" "+e.Name)
	if !ok || !ends || e.Kind == spool.None {
		return false
	}
	return strings.Contains(head, "trimtab-hook") || strings.Contains(head, "trimtab") && strings.HasSuffix(head, " hook")
}

// commands finds our commands in settings, by event.
func commands(text []byte, host string) (map[string]string, error) {
	found := map[string]string{}
	err := each(text, func(event string, _ *hujson.Array, _ int, _ *hujson.Array, _ int, command string) {
		if isOurs(command, host, event) {
			found[event] = command
		}
	})
	return found, err
}

// each calls f for every command in settings: with its event, the list of groups
// and the group's place in it, the list of handlers and the handler's place in it.
func each(text []byte, f func(event string, groups *hujson.Array, g int, handlers *hujson.Array, h int, command string)) error {
	if len(strings.TrimSpace(string(text))) == 0 {
		return nil
	}
	root, err := parse(text)
	if err != nil {
		return err
	}
	hooks := member(root.Value.(*hujson.Object), "hooks")
	if hooks == nil {
		return nil
	}
	inner, ok := hooks.Value.(*hujson.Object)
	if !ok {
		return nil
	}
	for i := range inner.Members {
		name, _ := inner.Members[i].Name.Value.(hujson.Literal)
		groups, ok := inner.Members[i].Value.Value.(*hujson.Array)
		if !ok {
			continue
		}
		for g := range groups.Elements {
			o, ok := groups.Elements[g].Value.(*hujson.Object)
			if !ok {
				continue
			}
			list := member(o, "hooks")
			if list == nil {
				continue
			}
			handlers, ok := list.Value.(*hujson.Array)
			if !ok {
				continue
			}
			for h := range handlers.Elements {
				f(name.String(), groups, g, handlers, h, commandOf(handlers.Elements[h]))
			}
		}
	}
	return nil
}

func commandOf(v hujson.Value) string {
	o, ok := v.Value.(*hujson.Object)
	if !ok {
		return ""
	}
	c := member(o, "command")
	if c == nil {
		return ""
	}
	lit, ok := c.Value.(hujson.Literal)
	if !ok {
		return ""
	}
	var s string
	if json.Unmarshal(lit, &s) != nil {
		return ""
	}
	return s
}

// remove takes our hooks out of settings, one after the other, and what is empty
// without them.
func remove(text []byte, host string) ([]byte, error) {
	for {
		var cut []splice
		err := each(text, func(event string, groups *hujson.Array, g int, handlers *hujson.Array, h int, command string) {
			switch {
			case cut != nil || !isOurs(command, host, event):
			case len(handlers.Elements) > 1:
				cut = cutAt(text, values(handlers), h)
			case len(groups.Elements) > 1:
				cut = cutAt(text, values(groups), g)
			default:
				cut = cutEvent(text, event)
			}
		})
		if err != nil || cut == nil {
			return text, err
		}
		text = apply(text, cut)
	}
}

// cutEvent takes out an event, or "hooks" where it is the only one.
func cutEvent(text []byte, event string) []splice {
	root, err := parse(text)
	if err != nil {
		return nil
	}
	top := root.Value.(*hujson.Object)
	inner, _ := member(top, "hooks").Value.(*hujson.Object)
	from, name := inner, event
	if len(inner.Members) == 1 && !twice(top, "hooks") {
		from, name = top, "hooks"
	}
	for i := len(from.Members) - 1; i >= 0; i-- {
		if lit, ok := from.Members[i].Name.Value.(hujson.Literal); ok && lit.String() == name {
			return cutAt(text, members(from), i)
		}
	}
	return nil
}

// twice reports whether a name stands more than once: without its last value, which is
// the one that counts, an earlier one would count again.
func twice(o *hujson.Object, name string) bool {
	n := 0
	for i := range o.Members {
		if lit, ok := o.Members[i].Name.Value.(hujson.Literal); ok && lit.String() == name {
			n++
		}
	}
	return n > 1
}

// part is an element of a list or a member of an object, as a span of text.
type part struct {
	from, to int
	comma    int // where the comma behind it is; -1 is none
}

func values(a *hujson.Array) []part {
	var all []part
	for i, v := range a.Elements {
		all = append(all, span(v.StartOffset, v, i == len(a.Elements)-1))
	}
	return all
}

func members(o *hujson.Object) []part {
	var all []part
	for i, m := range o.Members {
		all = append(all, span(m.Name.StartOffset, m.Value, i == len(o.Members)-1))
	}
	return all
}

func span(from int, v hujson.Value, last bool) part {
	p := part{from, v.EndOffset, v.EndOffset + len(v.AfterExtra)}
	if last && v.AfterExtra == nil {
		p.comma = -1
	}
	return p
}

// cutAt takes one part out, with the white space before it and one comma. The
// last of several takes the comma before it along, so that none trails.
func cutAt(text []byte, parts []part, i int) []splice {
	p := parts[i]
	if i == 0 && len(parts) > 1 { // the next takes its place, and the white space before it
		to := p.comma + 1
		for to < len(text) && strings.IndexByte(" \t\r\n", text[to]) >= 0 {
			to++
		}
		return []splice{{p.from, p.to, ""}, {p.comma, to, ""}}
	}
	from := p.from
	for from > 0 && strings.IndexByte(" \t\r\n", text[from-1]) >= 0 {
		from--
	}
	cut := []splice{{from, p.to, ""}}
	switch {
	case p.comma >= 0:
		cut = append(cut, splice{p.comma, p.comma + 1, ""})
	case i > 0:
		cut = append(cut, splice{parts[i-1].comma, parts[i-1].comma + 1, ""})
	}
	if len(parts) == 1 { // nothing is left: the brackets close up
		to := p.to
		for to < len(text) && strings.IndexByte(" \t\r\n", text[to]) >= 0 {
			to++
		}
		if cut[0].from > 0 && strings.IndexByte("{[", text[cut[0].from-1]) >= 0 && to < len(text) && strings.IndexByte("}]", text[to]) >= 0 {
			cut[0].to = to
		}
	}
	return cut
}
