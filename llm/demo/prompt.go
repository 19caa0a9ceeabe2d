package demo

import (
	"path"
	"strings"
	"unicode"
)

// kind says what a prompt asks for.
type kind int

const (
	talk     kind = iota // a greeting, or a question about the model
	question             // something short: one look, one answer
	labour               // work
)

// These lists are all that the model understands of a prompt.
var (
	pleasantries = list(`hello hi hey hallo there good morning afternoon evening day night thanks thank you very much ok okay
		fine great nice cool bye goodbye yes no please welcome ping`)
	verbs = list(`add analyse analyze audit automata build change check clean compare count describe document examine explain explore
		find fix go implement improve inspect investigate list look make migrate optimise optimize organise organize plan port
		read refactor rename report research review rewrite search show simplify sort study summarise summarize survey test tidy
		update upgrade walk work write`)
	fillers = list(`about after again also because been before being could does doing every from have here into just keep like more
		most much need only other over please project really should some something than that the their them then there these they
		thing things this those through under until very want were what when where which while will with would your folder file
		files code this`)
)

func list(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(text) {
		set[w] = true
	}
	return set
}

// tokenize splits a prompt into its words, lower case, without punctuation around
// them.
func tokenize(prompt string) []string {
	var out []string
	for _, w := range strings.Fields(strings.ToLower(prompt)) {
		if w = strings.TrimFunc(w, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }); w != "" {
			out = append(out, w)
		}
		if len(out) == 2000 {
			break
		}
	}
	return out
}

func classify(prompt string) kind {
	words := tokenize(prompt)
	polite, verb, you := true, false, false
	for _, w := range words {
		polite = polite && pleasantries[w]
		verb = verb || verbs[w] || isPath(w)
		you = you || w == "you"
	}
	switch {
	case polite:
		return talk
	case verb || len(words) >= 8:
		return labour
	case you || len(words) == 1 && words[0] == "help":
		return talk
	}
	return question
}

// isPath reports whether a word looks like the name of a file.
func isPath(w string) bool {
	ext := path.Ext(w)
	return len(ext) > 1 && len(ext) < 8 && len(w) > len(ext) && !strings.ContainsAny(w, ":,;") || strings.Contains(strings.Trim(w, "/"), "/")
}

// topic picks the word of a prompt that is worth a search, or "".
func topic(prompt string) string {
	best := ""
	for _, w := range tokenize(prompt) {
		if len(w) > len(best) && len(w) >= 4 && len(w) <= 40 && !verbs[w] && !fillers[w] && !pleasantries[w] && !isPath(w) {
			best = w
		}
	}
	return best
}
