package operate

import (
	"cmp"
	"errors"
	"net"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab/surface/address"
	"github.com/trimtab/trimtab/surface/server"
)

// OwnClient is the client of whoever asks without naming one.
const OwnClient = "own"

func addressCommand(e Env) *cobra.Command {
	var listen, base string
	var revoke bool
	c := &cobra.Command{
		Use: "address [CLIENT]", Short: "Print the base URL at which trimtab serve answers a client", Args: e.between(0, 1),
		Long: `Prints the base URL for an agent that talks to trimtab serve. It holds a secret,
which is made when it is first asked for: whoever has it can speak to a provider
through trimtab as you do. Each client, by a name that you choose, has its own, so that
one can be revoked without the others.`,
		Example: "  trimtab serve address\n  trimtab serve address my-agent --json\n  trimtab serve address my-agent --url https://gateway.example\n  trimtab serve address my-agent --revoke",
		RunE: func(_ *cobra.Command, args []string) error {
			return e.address(cmp.Or(strings.Join(args, ""), OwnClient), listen, base, revoke)
		},
	}
	c.Flags().StringVar(&listen, "listen", "", "`address` that trimtab serve listens on")
	c.Flags().StringVar(&base, "url", "", "`URL` of trimtab serve, where others call it by a name")
	c.Flags().BoolVar(&revoke, "revoke", false, "answer this client no more")
	return c
}

func (e Env) address(client, listen, base string, revoke bool) error {
	settings, err := e.Settings()
	if err != nil {
		return err
	}
	at := settings.With(server.Config{Listen: listen})
	if _, _, err := net.SplitHostPort(at.Listen); err != nil {
		return e.Misused("--listen %q: %w", at.Listen, err)
	}
	if u, err := url.Parse(base); err != nil || base != "" && (u.Host == "" || u.Scheme != "https" && u.Scheme != "http") {
		return e.Misused("--url %q: give it as in https://gateway.example", base)
	}
	clients, err := e.Clients()
	if err != nil {
		return err
	}
	answer, err := clients.Ask(client, cmp.Or(base, at.URL(at.Listen)), revoke)
	switch {
	case errors.Is(err, address.ErrName):
		return e.Misused("%w", err)
	case err != nil:
		return err
	}
	return e.answer(answer, answer.String())
}
