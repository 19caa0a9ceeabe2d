package linechat

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// Interrupts takes Ctrl+C for a chat: the context that it returns outlives it, and each
// one comes on the channel instead, so that it ends a reply and not the program. A signal
// to end the program still does. stop gives the signals back.
func Interrupts(ctx context.Context) (own context.Context, interrupts <-chan struct{}, stop func()) {
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	signals, out := make(chan os.Signal, 4), make(chan struct{}, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	done := make(chan struct{})
	go func() {
		for {
			select {
			case <-done:
				return
			case s := <-signals:
				if s != os.Interrupt {
					cancel()
					continue
				}
				select {
				case out <- struct{}{}:
				default: // nobody listens: enough were pressed
				}
			}
		}
	}()
	return own, out, func() {
		signal.Stop(signals)
		close(done)
		cancel()
	}
}
