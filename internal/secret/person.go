package secret

import "strings"

// persons are the rules for what names a person, or a machine of theirs, and is no secret.
func persons() []rule {
	return []rule{
		{kind: "email", words: []string{"@", "%40", `\u0040`}, find: email},
		{kind: "home", words: []string{"/home/", "/Users/", `\Users\`, `\\Users\\`, "/users/", "%2Fhome%2F", "%2FUsers%2F", `\/home\/`, `\/Users\/`}, find: home},
		{kind: "card", words: cardWords(), find: card},
		{kind: "host", words: innerNames, find: innerHost},
		{kind: "host", words: []string{"10.", "192.168.", "172."}, find: innerAddress},
	}
}

// email finds an address. Those that stand for nobody stay.
func email(p *pass, start, end int) (int, int, bool) {
	text := p.text
	from := start
	for from > 0 && start-from < 64 && (alnum(text[from-1]) || strings.IndexByte("._%+-", text[from-1]) >= 0) {
		from--
	}
	to := end
	for to < len(text) && to-end < 255 && (alnum(text[to]) || text[to] == '.' || text[to] == '-') {
		to++
	}
	for to > end && (text[to-1] == '.' || text[to-1] == '-') {
		to--
	}
	host := text[end:to]
	dot := strings.LastIndexByte(host, '.')
	if from == start || dot <= 0 || len(host)-dot < 3 || len(host)-dot > 25 {
		return 0, 0, false
	}
	top := strings.ToLower(host[dot+1:])
	for i := range len(top) {
		if top[i] < 'a' || top[i] > 'z' {
			return 0, 0, false // a version or an image: module@v1.2, photo@2x.png
		}
	}
	switch top {
	case "png", "jpg", "jpeg", "gif", "svg", "webp", "js", "ts", "css", "go", "local", "example", "invalid", "test":
		return 0, 0, false
	}
	who := strings.ToLower(text[from:start])
	if who == "git" || strings.HasPrefix(who, "noreply") || strings.HasPrefix(who, "no-reply") || strings.Contains(host, "noreply") || nobody(strings.ToLower(host)) {
		return 0, 0, false
	}
	return from, to, true
}

// nobody reports the domains that are set aside for examples.
func nobody(host string) bool {
	for _, d := range []string{"example.com", "example.org", "example.net"} {
		if host == d || strings.HasSuffix(host, "."+d) {
			return true
		}
	}
	return false
}

// home finds the name of a user in the path of a home folder; the path around it
// stays, for it says where something went wrong.
func home(p *pass, _, end int) (int, int, bool) {
	to := end
	for to < len(p.text) && to-end < 64 && (alnum(p.text[to]) || strings.IndexByte("._-", p.text[to]) >= 0 || p.text[to] >= 0x80) {
		to++
	}
	switch strings.ToLower(p.text[end:to]) {
	case "shared", "public", "default", "user", "username", "you", "me", "runner", "linuxbrew", ".", "..", "...":
		return 0, 0, false
	}
	return end, to, to > end
}
