package dashboard

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os/exec"
	"runtime"
	"time"

	"github.com/trimtab/trimtab/surface/server"
)

// Run serves the pages on loopback until the context ends. It tells the link for a
// browser, and opens one where there is one.
func Run(ctx context.Context, opt Options, tell func(link string), browser bool) error {
	l, err := server.Listen(ctx, "127.0.0.1:0")
	if err != nil {
		return err
	}
	opt.Hosts, opt.Done = server.AllowedHosts(l.Addr()), ctx.Done()
	d, err := New(opt)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	srv := &http.Server{Handler: d, ReadHeaderTimeout: 30 * time.Second, BaseContext: func(net.Listener) context.Context { return ctx }}
	link := "http://" + l.Addr().String() + d.Link()
	tell(link)
	if browser {
		_ = start(ctx, link) // the link was told
	}
	end := make(chan error, 1)
	go func() { end <- srv.Serve(l) }()
	select {
	case err := <-end:
		return err
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 3*time.Second)
	defer cancel()
	err = srv.Shutdown(last)
	<-end
	return err
}

// start opens a browser as the system does.
func start(ctx context.Context, link string) error {
	name, args := "xdg-open", []string{link}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", link}
	}
	return exec.CommandContext(context.WithoutCancel(ctx), name, args...).Start() // #nosec G204 -- our own link
}
