package main

import (
	"cmp"
	"errors"
	"net"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab/internal/home"
	"github.com/trimtab/trimtab/surface/address"
	"github.com/trimtab/trimtab/surface/server"
)

// ownClient is the client of whoever asks without naming one.
const ownClient = "own"

func addressCommand(a *app) *cobra.Command {
	var listen, base string
	var revoke bool
	c := &cobra.Command{
		Use: "address [CLIENT]", Short: "Print the base URL at which trimtab serve answers a client", Args: between(0, 1),
		Long: `Prints the base URL for an agent that talks to trimtab serve. It holds a secret,
which is made when it is first asked for: whoever has it can speak to a provider
through trimtab as you do. Each client, by a name that you choose, has its own, so that
one can be revoked without the others.`,
		Example: "  trimtab serve address\n  trimtab serve address my-agent --json\n  trimtab serve address my-agent --url https://gateway.example\n  trimtab serve address my-agent --revoke",
		RunE: func(_ *cobra.Command, args []string) error {
			return a.address(cmp.Or(strings.Join(args, ""), ownClient), listen, base, revoke)
		},
	}
	c.Flags().StringVar(&listen, "listen", "", "`address` that trimtab serve listens on (default "+home.Serve+")")
	c.Flags().StringVar(&base, "url", "", "`URL` of trimtab serve, where others call it by a name")
	c.Flags().BoolVar(&revoke, "revoke", false, "answer this client no more")
	return c
}

// clients are those that trimtab serve answers.
func (a *app) clients() (*address.Clients, error) {
	data, err := a.dataDir()
	if err != nil {
		return nil, err
	}
	return address.Open(filepath.Join(data, "clients")), nil
}

func (a *app) address(client, listen, base string, revoke bool) error {
	cfg, err := a.config()
	if err != nil {
		return err
	}
	at := cfg.Serve.With(server.Config{Listen: listen})
	if _, _, err := net.SplitHostPort(at.Listen); err != nil {
		return misused("--listen %q: %w", at.Listen, err)
	}
	if u, err := url.Parse(base); err != nil || base != "" && (u.Host == "" || u.Scheme != "https" && u.Scheme != "http") {
		return misused("--url %q: give it as in https://gateway.example", base)
	}
	clients, err := a.clients()
	if err != nil {
		return err
	}
	answer, err := clients.Ask(client, cmp.Or(base, at.URL(at.Listen)), revoke)
	switch {
	case errors.Is(err, address.ErrName):
		return misused("%w", err)
	case err != nil:
		return err
	case a.flag.json:
		return a.printJSON(answer)
	}
	a.printf("%s\n", answer)
	return nil
}
