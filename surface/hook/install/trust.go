package install

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"
)

// Trust asks Codex itself which of our hooks it would run: the words that it has
// for each command, such as "trusted" or "untrusted". It starts the program and
// ends it again; nothing is written.
func Trust(ctx context.Context, codex, folder string) (map[string]string, error) {
	ctx, cancel := context.WithTimeout(ctx, trustTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, codex, "app-server")
	cmd.Dir, cmd.WaitDelay = folder, time.Second
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	found, err := trust(in, out, folder)
	cancel()       // it does not end by itself
	_ = cmd.Wait() // killed, as it should be
	if err != nil {
		return nil, fmt.Errorf("codex app-server: %w", err)
	}
	return found, nil
}

const (
	trustTime   = 10 * time.Second
	maxTrust    = 4 << 20 // bytes of its answers
	trustAnswer = 2
)

// trust speaks the protocol of codex app-server: JSON, one message a line.
func trust(in io.Writer, out io.Reader, folder string) (map[string]string, error) {
	for _, m := range []any{
		map[string]any{"id": 1, "method": "initialize", "params": map[string]any{"clientInfo": map[string]string{"name": "trimtab", "version": "1"}}},
		map[string]any{"method": "initialized"},
		map[string]any{"id": trustAnswer, "method": "hooks/list", "params": map[string]any{"cwds": []string{folder}}},
	} {
		if err := json.NewEncoder(in).Encode(m); err != nil {
			return nil, err
		}
	}
	lines := bufio.NewScanner(io.LimitReader(out, maxTrust))
	lines.Buffer(nil, maxTrust)
	for lines.Scan() {
		var m struct {
			ID     int             `json:"id"`
			Error  json.RawMessage `json:"error"`
			Result struct {
				Data []struct {
					Hooks []struct {
						Command string `json:"command"`
						Enabled bool   `json:"enabled"`
						Status  string `json:"trustStatus"`
					} `json:"hooks"`
				} `json:"data"`
			} `json:"result"`
		}
		if json.Unmarshal(lines.Bytes(), &m) != nil || m.ID != trustAnswer {
			continue
		}
		if len(m.Error) > 0 {
			return nil, fmt.Errorf("hooks/list: %s", clip(string(m.Error), 200))
		}
		found := map[string]string{}
		for _, d := range m.Result.Data {
			for _, h := range d.Hooks {
				found[h.Command] = h.Status
				if !h.Enabled {
					found[h.Command] = "disabled"
				}
			}
		}
		return found, nil
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	return nil, errors.New("no answer to hooks/list; this version may not have it")
}

func clip(s string, n int) string {
	if len(s) > n {
		return s[:n]
	}
	return s
}
