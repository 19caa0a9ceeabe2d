// Package management puts together what trimtab serve has for people and for programs that
// manage it: the pages, the API, and signing in to both. It decides nothing: who may see and
// do what is decided by surface/dashboard and surface/web, with the roles of surface/person.
//
//	m, err := management.New(ctx, management.Options{Pages: pages, Service: sessions, Files: store, Token: token, Hosts: hosts})
//	server.Options{API: m.API, Pages: m.Pages, IsPage: dashboard.Serves}
package management

import (
	"context"
	"log/slog"
	"net/http"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/llm/key"
	"github.com/trimtab/trimtab/store/owned"
	"github.com/trimtab/trimtab/surface/address"
	"github.com/trimtab/trimtab/surface/audit"
	"github.com/trimtab/trimtab/surface/dashboard"
	"github.com/trimtab/trimtab/surface/person"
	"github.com/trimtab/trimtab/surface/signin"
	"github.com/trimtab/trimtab/surface/web"
)

// Options are what it is made of.
type Options struct {
	Pages    dashboard.Options // of the person who runs the server
	Service  web.Service
	Everyone trimtab.Archive // of which people see their part
	Files    improve.Queue   // where the small files are that all servers on a store share
	Keys     func(*http.Request) (person.Person, bool)
	SignIn   signin.Config
	Current  func() (signin.Config, error) // the settings as they are now: see signin.Options
	Secret   key.Key                       // of the client at the provider of SignIn
	URL      string                        // under which browsers reach the server
	Token    string                        // of the data folder: whoever has it may do everything
	Hosts    []string
	Policy   string // see web.Options
	Log      *slog.Logger
}

// Management is what was put together.
type Management struct{ API, Pages http.Handler }

// New puts it together. The context ends with the server.
func New(ctx context.Context, opt Options) (m Management, err error) {
	did := audit.Log{Files: opt.Files, Clock: opt.Pages.Clock}.Did(opt.Log)
	opt.Pages.Lab = opt.Pages.Lab.Comparing(ctx.Done()) // pages and API show the same
	m.API, err = web.New(web.Options{
		Did: did, Compares: opt.Pages.Lab.Compares, Labels: opt.Pages.Lab.Labels, Debates: opt.Pages.Debates.Goal, Service: opt.Service, Archive: opt.Pages.Archive, Everyone: opt.Everyone, Feed: opt.Pages.Feed, Improvements: opt.Pages.Improvements, Insight: opt.Pages.Insight, Owner: opt.Pages.Owner, Clock: opt.Pages.Clock,
		Token: opt.Token, Who: opt.Keys, Policy: opt.Policy, Hosts: opt.Hosts, Done: ctx.Done(),
	})
	if err != nil {
		return m, err
	}
	pages := opt.Pages
	pages.Archive, pages.Hosts, pages.Done, pages.Did = opt.Everyone, opt.Hosts, ctx.Done(), did
	pages.Who = func(r *http.Request) (person.Person, bool) { return person.Of(r.Context()) }
	pages.Key, pages.Secret, pages.Secure = opt.whose(), dashboard.Secret(ctx, opt.Files), strings.HasPrefix(opt.URL, "https:")
	if opt.SignIn.Issuer != "" {
		pages.SignIn, pages.SignOut = signin.Path, signin.OutPath
	}
	if m.Pages, err = dashboard.New(pages); err != nil || opt.SignIn.Issuer == "" {
		return m, err
	}
	in, err := signin.New(signin.Options{Config: opt.SignIn, ClientSecret: opt.Secret, URL: opt.URL, Hosts: opt.Hosts, Files: opt.Files, Clock: opt.Pages.Clock, Log: opt.Log, Did: did, Current: opt.Current})
	if err != nil {
		return m, err
	}
	m.API, m.Pages = in.Handler(m.API), in.Handler(m.Pages)
	return m, nil
}

// whose says whose a key is that somebody types on a page: a caller's, or the token.
func (o Options) whose() func(ctx context.Context, secret string) (person.Person, bool) {
	owner := address.Bearer(o.Token)
	return func(ctx context.Context, secret string) (p person.Person, ok bool) {
		r := (&http.Request{Header: http.Header{"Authorization": {"Bearer " + secret}}}).WithContext(ctx)
		if owner(r) {
			return person.Person{User: o.Pages.Owner, Role: owned.Approve, By: "token"}, true
		}
		if o.Keys == nil {
			return p, false
		}
		return o.Keys(r)
	}
}
