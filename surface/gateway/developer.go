package gateway

import (
	"cmp"
	"net/url"
	"strings"
)

// TakesDeveloper reports whether the provider at an address takes developer messages:
// OpenAI itself does, where requests go unless an address says otherwise. Others that
// speak its format read them as they like, or not.
func TakesDeveloper(address string) bool {
	u, err := url.Parse(cmp.Or(address, providers["openai"]))
	if err != nil {
		return false
	}
	host := strings.ToLower(u.Hostname())
	return host == "api.openai.com" || host == "chatgpt.com"
}
