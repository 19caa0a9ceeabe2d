package openai

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/trimtab/trimtab/llm/client"
)

// OllamaURL is where Ollama listens by itself.
const OllamaURL = "http://127.0.0.1:11434"

// OllamaBase reads the variable OLLAMA_HOST in the forms that Ollama takes: a
// host, a port, both, or a URL. An address to listen on everywhere means this
// machine.
func OllamaBase(hostVar string) (string, error) {
	s := strings.Trim(strings.TrimSpace(hostVar), `"'`)
	if s == "" {
		return OllamaURL, nil
	}
	if !strings.Contains(s, "://") {
		s = "http://" + s
	}
	u, err := url.Parse(s)
	if err != nil || u.User != nil || u.Scheme != "http" && u.Scheme != "https" {
		return "", fmt.Errorf("OLLAMA_HOST is not an address; write it as 127.0.0.1:11434 or http://host:port")
	}
	host, port := u.Hostname(), u.Port()
	if host == "" || host == "0.0.0.0" || host == "::" {
		host = "127.0.0.1"
	}
	switch {
	case port != "":
	case u.Scheme == "https":
		port = "443"
	case strings.Contains(hostVar, "://"):
		port = "80"
	default:
		port = "11434"
	}
	return u.Scheme + "://" + net.JoinHostPort(host, port) + strings.TrimRight(u.Path, "/"), nil
}

// Ollama returns the models that an Ollama server has, or an error where there is
// no such server.
func Ollama(ctx context.Context, s *client.Sender, base string) ([]client.Listed, error) {
	var answer struct {
		Models []struct {
			Name string `json:"name"`
		} `json:"models"`
	}
	if err := s.Get(ctx, client.Letter{URL: base + "/api/tags", Header: http.Header{}}, &answer); err != nil {
		return nil, fmt.Errorf("ask Ollama for its models: %w", err)
	}
	var all []client.Listed
	for _, m := range answer.Models {
		if m.Name != "" {
			all = append(all, client.Listed{Name: strings.TrimSuffix(m.Name, ":latest")})
		}
	}
	return all, nil
}
