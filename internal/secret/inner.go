package secret

import "strings"

// cardWords are how numbers of payment cards begin.
func cardWords() []string {
	words := []string{"34", "37", "60", "64", "65"}
	for _, first := range []string{"4", "5", "2"} {
		for d := range 10 {
			if w := first + string(rune('0'+d)); first == "4" || first == "5" && d >= 1 && d <= 5 || first == "2" && d >= 2 && d <= 7 {
				words = append(words, w)
			}
		}
	}
	return words
}

// card finds the number of a payment card: 16 digits, 15 for some, in one or with a blank or
// a dash between groups, whose check digit is right.
func card(p *pass, start, _ int) (int, int, bool) {
	text := p.text
	if start > 0 && (alnum(text[start-1]) || strings.IndexByte("._-+/", text[start-1]) >= 0) {
		return 0, 0, false
	}
	var digits []byte
	to := start
	for i := start; i < len(text) && len(digits) <= 16; i++ {
		switch c := text[i]; {
		case c >= '0' && c <= '9':
			digits = append(digits, c-'0')
			to = i + 1
			continue
		case (c == ' ' || c == '-') && to == i && len(digits)%2 == 0 && i+1 < len(text) && text[i+1] >= '0' && text[i+1] <= '9':
			continue
		}
		break
	}
	short := digits[0] == 3
	if to < len(text) && alnum(text[to]) || short && len(digits) != 15 || !short && len(digits) != 16 {
		return 0, 0, false
	}
	sum := 0
	for i, d := range digits {
		n := int(d)
		if (len(digits)-i)%2 == 0 {
			if n *= 2; n > 9 {
				n -= 9
			}
		}
		sum += n
	}
	return start, to, sum%10 == 0
}

// innerNames are the ends of names that only an inner network knows.
var innerNames = []string{".internal", ".intranet", ".corp", ".lan", ".home.arpa", ".cluster.local", ".localdomain"}

// innerHost finds such a name. Names of packages, which are written the other way round, are
// none.
func innerHost(p *pass, start, end int) (int, int, bool) {
	text := p.text
	from := start
	for from > 0 && start-from < 253 && (alnum(text[from-1]) || text[from-1] == '.' || text[from-1] == '-') {
		from--
	}
	for from < start && (text[from] == '.' || text[from] == '-') {
		from++
	}
	if from == start || end < len(text) && (alnum(text[end]) || strings.IndexByte("-_(", text[end]) >= 0) || end+1 < len(text) && text[end] == '.' && alnum(text[end+1]) {
		return 0, 0, false
	}
	first, _, _ := strings.Cut(text[from:end], ".")
	switch strings.ToLower(first) {
	case "com", "org", "net", "io", "dev", "de", "java", "javax", "jdk", "sun", "android", "androidx", "kotlin", "scala", "self", "this", "cls", "process", "module", "module-info":
		return 0, 0, false
	}
	return from, end, from == 0 || text[from-1] != '_' && text[from-1] != '/' || strings.HasSuffix(text[:from], "//")
}

// innerAddress finds an address of an inner network.
func innerAddress(p *pass, start, _ int) (int, int, bool) {
	text := p.text
	if start > 0 && (alnum(text[start-1]) || strings.IndexByte("._-", text[start-1]) >= 0) {
		return 0, 0, false
	}
	parts, n, at := [4]int{}, 0, start
	for ; n < 4; n++ {
		digits := 0
		for at < len(text) && digits < 4 && text[at] >= '0' && text[at] <= '9' {
			parts[n] = parts[n]*10 + int(text[at]-'0')
			at++
			digits++
		}
		if digits == 0 || digits > 3 || parts[n] > 255 {
			return 0, 0, false
		}
		if n < 3 {
			if at >= len(text) || text[at] != '.' {
				return 0, 0, false
			}
			at++
		}
	}
	if at < len(text) && (alnum(text[at]) || text[at] == '-' || text[at] == '_' || text[at] == '.' && at+1 < len(text) && text[at+1] >= '0' && text[at+1] <= '9') {
		return 0, 0, false
	}
	return start, at, parts[0] == 10 || parts[0] == 192 && parts[1] == 168 || parts[0] == 172 && parts[1] >= 16 && parts[1] <= 31
}
