package secret

// token is a secret that is known by its own form: a word that its issuer puts
// into it, and what must stand around the word.
type token struct {
	kind   string
	before string // shape that ends where the word begins
	words  []string
	after  string // shape that begins where the word ends
	edge   bool   // stands alone: no letter or digit touches it on either side
	bits   float64
}

// leastBits is the entropy that a token's text must have where its row does not
// say more: "xxxxxxxx" is nobody's key.
const leastBits = 2

// jwt finds signed and encrypted web tokens: two to five parts with a dot
// between them, the first of which is the base64 of a JSON object.
func jwt(p *pass, start, end int) (int, int, bool) {
	if start < p.noDot { // the same run of characters was read to its end before
		return 0, 0, false
	}
	loose := &p.rules.loose
	parts, i, last, first := 0, start, start, 0
	for parts < 5 {
		for i < len(p.text) && loose.has(p.text[i]) {
			i++
		}
		if parts < 2 && i-last < 10 {
			break
		}
		if parts++; parts == 1 {
			first = i
		}
		if i == len(p.text) || p.text[i] != '.' || i+1 < len(p.text) && !loose.has(p.text[i+1]) && p.text[i+1] != '.' {
			break
		}
		i++
		last = i
	}
	if parts < 2 {
		p.noDot = i
		return 0, 0, false
	}
	if entropy(p.text[end:i]) < 3 {
		p.noDot = first
		return 0, 0, false
	}
	return start, i, true
}

// rule makes the rule that looks for a token.
func (t token) rule() (rule, error) {
	before, err := newShape(t.before)
	if err != nil {
		return rule{}, err
	}
	after, err := newShape(t.after)
	if err != nil {
		return rule{}, err
	}
	need := max(t.bits, leastBits)
	find := func(p *pass, start, end int) (int, int, bool) {
		from, ok := before.before(p.text, start)
		if !ok {
			return 0, 0, false
		}
		to, ok := after.match(p.text, end)
		if !ok || t.edge && !(opens(p.text, from) && closes(p.text, to)) {
			return 0, 0, false
		}
		free := p.text[end:to] // what the issuer chose
		if start-from > len(free) {
			free = p.text[from:start]
		}
		if entropy(free) < need || example(free) {
			return 0, 0, false
		}
		return from, to, true
	}
	return rule{kind: t.kind, words: t.words, find: find}, nil
}

// closes reports whether a word may end at i.
func closes(text string, i int) bool {
	return i == len(text) || !alnum(text[i]) && text[i] != '_'
}
