package operate

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab/internal/policy"
	"github.com/trimtab/trimtab/internal/procgroup"
)

// PolicyCommand is the one with which a client has the settings that its gateway serves.
func PolicyCommand(e Env) *cobra.Command {
	var key string
	var leave, refresh bool
	c := &cobra.Command{
		Use: "policy [URL]", Short: "Have the settings that your gateway serves, below your own", Args: e.between(0, 1),
		Long: `Asks a gateway for its policy and keeps it: settings below your own, of which it may
lock some. It cannot set what leads requests elsewhere or runs programs. trimtab config
show says which settings it decided. Without a URL it says whose policy you have. You can
leave it; what must hold on a machine belongs into the managed file of that machine.`,
		Example: "  trimtab config policy https://gateway.example --key env:TRIMTAB_KEY\n  trimtab config policy --refresh\n  trimtab config policy --leave",
		RunE: func(c *cobra.Command, args []string) error {
			return e.policy(c.Context(), policy.Source{URL: strings.Join(args, ""), Key: key}, refresh, leave)
		},
	}
	c.Flags().StringVar(&key, "key", "", "`place` of your key for the gateway: env:NAME, file:PATH or keyring:NAME")
	c.Flags().BoolVar(&refresh, "refresh", false, "ask for it again")
	c.Flags().BoolVar(&leave, "leave", false, "have no policy any more")
	return c
}

// held is what a person is told of the policy they have.
type held struct {
	URL string    `json:"url,omitempty"`
	At  time.Time `json:"at,omitzero"`
}

func (e Env) policy(ctx context.Context, from policy.Source, refresh, leave bool) error {
	data, err := e.Data()
	if err != nil {
		return err
	}
	old, at, ok, err := policy.Joined(data)
	switch {
	case leave:
		if _, err := policy.Leave(data); err != nil {
			return err
		}
		return e.answer(held{}, "you have no policy of a gateway now")
	case err != nil:
		return err
	case from.URL == "" && !refresh && !ok:
		return e.answer(held{}, "you have no policy of a gateway; get one: trimtab config policy URL --key env:NAME")
	case from.URL == "" && !refresh:
		return e.answer(held{old.URL, at}, "you have the policy of "+old.URL+", as of "+at.Format(time.RFC3339))
	case refresh && !ok:
		return e.Misused("there is no policy to ask for again; give the URL of a gateway")
	case refresh:
		from = old
	case from.Key == "":
		return e.Misused("--key: say where your key for the gateway is, as in env:TRIMTAB_KEY")
	}
	authorize := func(where string, h http.Header) error {
		k, err := e.Key(where)
		if err == nil {
			k.Set(h, "Authorization", "Bearer ")
		}
		return err
	}
	if err := policy.Join(ctx, data, from, authorize, e.Clock()); err != nil {
		return err
	}
	return e.answer(held{strings.TrimSuffix(from.URL, "/"), e.Clock().UTC()}, "you have the policy of "+from.URL+"; trimtab config show says what it decided")
}

// KeepPolicy has the policy of a gateway asked for again where it is due, by a process of its
// own: most commands are over before a gateway far away has answered, and none is to wait for
// it. What goes wrong there is tried again later; trimtab config policy --refresh says it.
func KeepPolicy(e Env) {
	data, err := e.Data()
	if err != nil || !policy.Due(data, e.Clock()) {
		return
	}
	self, err := os.Executable()
	if err != nil {
		return
	}
	c := exec.Command(self, "config", "policy", "--refresh", "--quiet", "--data", data)
	procgroup.Set(c) // what ends this program does not end it
	if c.Start() == nil {
		go func() { _ = c.Wait() }() // for a program that runs long; a short one leaves it to the system
	}
}
