//go:build e2e && unix

package operate_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/trimtab/trimtab/internal/fakemodel"
)

// patience is for what would else hang a test for ever, not a promise about time.
const patience = 5 * time.Minute

// block is a shell block of the page.
type block struct{ section, text string }

// blocks are the shell blocks of a page, in order.
func blocks(t *testing.T, file string) (all []block) {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	section, open := "", false
	for line := range strings.Lines(string(raw)) {
		switch {
		case open && strings.HasPrefix(line, "```"):
			open = false
		case open:
			all[len(all)-1].text += line
		case strings.HasPrefix(line, "```sh"):
			open = true
			all = append(all, block{section: section})
		case strings.HasPrefix(line, "```"):
			t.Fatalf("a block that is not run: %s", line)
		case strings.HasPrefix(line, "## "):
			section = strings.TrimSpace(line[3:])
		}
	}
	return all
}

// page is the operator's page at work, in one shell.
type page struct {
	t      *testing.T
	folder string
	left   []block
	ports  map[string]string // as written, and as they are here
	shell  *exec.Cmd
	in     io.Writer
	said   *bufio.Scanner
	ran    int
	err    bytes.Buffer
	who    *syscall.Credential
}

// port is the one that stands for a port of the page.
func (p *page) port(written string) string { return p.ports[written] }

func (p *page) team(name string) string { return filepath.Join(p.folder, "home", "team", name) }

// next runs the next block, which must be of a section, and returns what it printed.
func (p *page) next(section string) string {
	p.t.Helper()
	if len(p.left) == 0 || !strings.HasPrefix(p.left[0].section, section) {
		p.t.Fatalf("there is no block of %q left", section)
	}
	text := p.left[0].text
	p.left = p.left[1:]
	for written, here := range p.ports {
		text = strings.ReplaceAll(text, written, here)
	}
	p.ran++
	script, out := filepath.Join(p.folder, fmt.Sprintf("block-%d.sh", p.ran)), filepath.Join(p.folder, fmt.Sprintf("block-%d.out", p.ran))
	if err := os.WriteFile(script, []byte(text), 0o644); err != nil {
		p.t.Fatal(err)
	}
	begun := time.Now()
	fmt.Fprintf(p.in, ". %s </dev/null >%s 2>&1; echo done %d\n", script, out, p.ran)
	answered := make(chan bool, 1)
	go func() { answered <- p.said.Scan() }()
	select {
	case ok := <-answered:
		if printed := read(out); !ok || p.said.Text() != fmt.Sprint("done ", p.ran) {
			p.t.Fatalf("%s: a command failed\n%s\n--- it printed\n%s\n--- the shell\n%s\n%s", section, text, printed, p.err.String(), p.logs())
		}
	case <-time.After(patience):
		p.t.Fatalf("%s: does not end\n%s\n--- it printed\n%s\n%s", section, text, read(out), p.logs())
	}
	p.t.Logf("%s: block %d ran, %.1f s", section, p.ran, time.Since(begun).Seconds())
	return read(out)
}

// rest runs all blocks of a section that are left.
func (p *page) rest(section string) (out string) {
	p.t.Helper()
	for out = p.next(section); len(p.left) > 0 && strings.HasPrefix(p.left[0].section, section); {
		out += p.next(section)
	}
	return out
}

func read(file string) string {
	raw, _ := os.ReadFile(file)
	return string(raw)
}

// logs are the ends of what the programs wrote.
func (p *page) logs() string {
	var all strings.Builder
	files, _ := filepath.Glob(p.team("*.log"))
	for _, file := range files {
		text := read(file)
		fmt.Fprintf(&all, "--- %s\n%s\n", filepath.Base(file), text[max(0, len(text)-3000):])
	}
	return all.String()
}

// free are ports that nobody listens on, near enough.
func free(t *testing.T, n int) (all []string) {
	t.Helper()
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		all = append(all, fmt.Sprint(l.Addr().(*net.TCPAddr).Port))
	}
	return all
}

// open makes a fresh home with what the page says one needs, and starts the shell in it.
func open(t *testing.T, model string) *page {
	t.Helper()
	for _, need := range []string{"caddy", "prometheus", "openssl", "curl"} {
		if _, err := exec.LookPath(need); err != nil {
			t.Skipf("the page needs Debian's %s: %v", need, err)
		}
	}
	if found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb"); len(found) == 0 {
		t.Skip("the page needs Debian's postgresql")
	}
	dex, err := exec.Command("sh", "../../script/dex").Output()
	if err != nil {
		t.Skipf("dex does not build here: %v", err)
	}
	folder, err := os.MkdirTemp("", "operate-")
	if err != nil {
		t.Fatal(err)
	}
	p := &page{t: t, folder: folder, left: blocks(t, "../../docs/howto/operate.md"), ports: map[string]string{}}
	here := free(t, 6)
	for i, written := range []string{"8443", "8701", "8702", "5433", "5556", "9090"} {
		p.ports[written] = here[i]
	}
	t.Cleanup(func() { p.close() })
	if os.Getuid() == 0 { // PostgreSQL is not for root
		who, err := user.Lookup("postgres")
		if err != nil {
			t.Skip("root has no user postgres to run the page as")
		}
		uid, _ := strconv.ParseUint(who.Uid, 10, 32)
		gid, _ := strconv.ParseUint(who.Gid, 10, 32)
		p.who = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
	at := strings.TrimSpace(string(dex))
	kept := filepath.Join(folder, "home", ".cache", "trimtab", "bin", filepath.Base(filepath.Dir(at)))
	for _, dir := range []string{"bin", "home", "checkout", kept} {
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(folder, dir)
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range [][]string{
		{"go", "build", "-o", filepath.Join(folder, "bin"), "../../cmd/trimtab"},
		{"cp", at, kept},
		{"cp", "-r", "../../script", "../../packaging", "../../go.mod", filepath.Join(folder, "checkout")},
		{"chmod", "-R", "a+rX", folder},
	} {
		if out, err := exec.Command(c[0], c[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", c, err, out)
		}
	}
	if p.who != nil {
		if err := exec.Command("chown", "-R", fmt.Sprintf("%d:%d", p.who.Uid, p.who.Gid), folder).Run(); err != nil {
			t.Fatal(err)
		}
	}
	p.start(model)
	return p
}

// providerKey is the key at the provider, which nobody but the gateways may have.
const providerKey = "sk-ant-provider-canary-0123456789"

func (p *page) command(name string, args ...string) *exec.Cmd {
	c := exec.Command(name, args...)
	c.Dir = filepath.Join(p.folder, "checkout")
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: p.who}
	c.Env = []string{"HOME=" + filepath.Join(p.folder, "home"), "PATH=" + filepath.Join(p.folder, "bin") + ":" + os.Getenv("PATH"), "LC_ALL=C"}
	return c
}

// start starts the shell. Beside what the page says, the environment has where the provider
// is, and that a busy machine is not what is tried.
func (p *page) start(model string) {
	p.shell = p.command("sh", "-eu")
	p.shell.Env = append(p.shell.Env, "ANTHROPIC_API_KEY="+providerKey, `TRIMTAB_GATEWAY_UPSTREAMS={"anthropic":"`+model+`"}`, "TRIMTAB_GATEWAY_PATIENCE=30000")
	p.shell.Stderr = &p.err
	in, err := p.shell.StdinPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	out, err := p.shell.StdoutPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	p.in, p.said = in, bufio.NewScanner(out)
	if err := p.shell.Start(); err != nil {
		p.t.Fatal(err)
	}
}

// close ends what the page started, also where it did not come to its end.
func (p *page) close() {
	if p.shell != nil {
		_ = syscall.Kill(-p.shell.Process.Pid, syscall.SIGKILL) // its group: the gateways, caddy, dex, prometheus
		_ = p.shell.Wait()
	}
	if _, err := os.Stat(p.team("db/postmaster.pid")); err == nil {
		found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/pg_ctl")
		_ = p.command(found[len(found)-1], "-D", p.team("db"), "-m", "immediate", "-w", "stop").Run()
	}
	_ = os.RemoveAll(p.folder)
}

// browser is a client with cookies that trusts the page's certificate.
func (p *page) browser() *http.Client {
	jar, err := cookiejar.New(nil)
	if err != nil {
		p.t.Fatal(err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM([]byte(read(p.team("cert.pem")))) {
		p.t.Fatal("there is no certificate")
	}
	return &http.Client{Jar: jar, Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: true}}
}

func (p *page) url(path string) string { return "https://localhost:" + p.port("8443") + path }

// get asks, and returns status and body.
func (p *page) get(c *http.Client, address string, headers ...string) (int, string) {
	p.t.Helper()
	status, body, err := do(p.t.Context(), c, http.MethodGet, address, nil, headers...)
	if err != nil {
		p.t.Fatalf("%v\n%s", err, p.logs())
	}
	return status, body
}

func do(ctx context.Context, c *http.Client, method, address string, body []byte, headers ...string) (int, string, error) {
	r, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	reply, err := c.Do(r)
	if err != nil {
		return 0, "", err
	}
	defer reply.Body.Close()
	raw, err := io.ReadAll(reply.Body)
	return reply.StatusCode, string(raw), err
}

// until waits for a condition.
func (p *page) until(what string, ok func() bool) {
	p.t.Helper()
	for end := time.Now().Add(patience); !ok(); time.Sleep(200 * time.Millisecond) {
		if time.Now().After(end) {
			p.t.Fatalf("never: %s\n%s", what, p.logs())
		}
	}
}

// form is where a page's form goes.
var form = regexp.MustCompile(`<form[^>]* action="([^"]*)"`)

// signIn walks through the provider's form as a browser does, and returns where it led.
func (p *page) signIn(c *http.Client, login, password string) (int, string) {
	p.t.Helper()
	reply, err := c.Get(p.url("/trimtab/signin?to=/trimtab/whoami"))
	if err != nil {
		p.t.Fatal(err)
	}
	defer reply.Body.Close()
	raw, err := io.ReadAll(reply.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	found := form.FindSubmatch(raw)
	if found == nil {
		p.t.Fatalf("no form at %s: %d\n%s", reply.Request.URL, reply.StatusCode, raw)
	}
	to, err := reply.Request.URL.Parse(html.UnescapeString(string(found[1])))
	if err != nil {
		p.t.Fatal(err)
	}
	back, err := c.PostForm(to.String(), url.Values{"login": {login}, "password": {password}})
	if err != nil {
		p.t.Fatal(err)
	}
	defer back.Body.Close()
	raw, err = io.ReadAll(back.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return back.StatusCode, string(raw)
}

// worker is a model that writes a list, changes files that are not on it, and brings the list
// up to date when it was reminded of it.
func worker() fakemodel.Script {
	call := func(name string, input object) fakemodel.Reply {
		raw, _ := json.Marshal(input) // it always encodes
		return fakemodel.Reply{Text: "Let me see.", Calls: []fakemodel.Call{{Name: name, Input: raw}}}
	}
	list := func(parser, docs string) fakemodel.Reply {
		return call("TodoWrite", object{"todos": []any{
			object{"content": "rename the parser", "status": parser, "activeForm": "renaming"}, object{"content": "write the docs", "status": docs, "activeForm": "writing"},
		}})
	}
	steps := []fakemodel.Reply{list("in_progress", "pending")}
	for i := range 8 {
		steps = append(steps, call("Bash", object{"command": fmt.Sprint("ls ", i)}))
	}
	for _, file := range []string{"http", "tls", "dns", "ssh", "ftp", "smtp"} { // the list is left behind
		steps = append(steps, call("Edit", object{"file_path": "p/" + file + ".go", "old_string": "a", "new_string": "b"}))
	}
	steps = append(steps, call("Bash", object{"command": "ls p"}), list("completed", "in_progress"), call("Bash", object{"command": "ls docs"}), fakemodel.Reply{Text: "All is done."})
	return fakemodel.Steps(steps...)
}

type object = map[string]any

// work is a session of an agent's: prompts, and a tool loop until the model is done.
func (p *page) work(ctx context.Context, c *http.Client, key, session, model string, prompts ...string) error {
	var history []any
	for _, prompt := range prompts {
		history = append(history, object{"role": "user", "content": prompt})
		for {
			body, _ := json.Marshal(object{"model": model, "max_tokens": 100, "system": "You are an agent.", "messages": history, "tools": []any{
				object{"name": "Bash", "input_schema": object{"type": "object"}}, object{"name": "Edit", "input_schema": object{"type": "object"}}, object{"name": "TodoWrite", "input_schema": object{"type": "object"}},
			}})
			status, reply, err := do(ctx, c, http.MethodPost, p.url("/v1/messages"), body, "X-Api-Key", key, "Anthropic-Version", "2023-06-01", "Content-Type", "application/json", "User-Agent", "claude-cli/2.1.325 (external, cli)", "X-Claude-Code-Session-Id", session)
			if err != nil || status != http.StatusOK {
				return fmt.Errorf("session %s: %d %s %w", session, status, reply, err)
			}
			var said struct {
				Content []object
				Stop    string `json:"stop_reason"`
			}
			if err := json.Unmarshal([]byte(reply), &said); err != nil {
				return err
			}
			history = append(history, object{"role": "assistant", "content": said.Content})
			var results []any
			for _, b := range said.Content {
				if b["type"] == "tool_use" {
					results = append(results, object{"type": "tool_result", "tool_use_id": b["id"], "content": fmt.Sprint("ok ", len(history))})
				}
			}
			if results == nil {
				break
			}
			history = append(history, object{"role": "user", "content": results})
		}
	}
	return nil
}

// query asks the real Prometheus, and returns the values that are numbers.
func (p *page) query(expr string) (values []float64, err error) {
	status, body, err := do(p.t.Context(), http.DefaultClient, http.MethodGet, "http://127.0.0.1:"+p.port("9090")+"/api/v1/query?query="+url.QueryEscape(expr), nil)
	if err != nil || status != http.StatusOK {
		return nil, fmt.Errorf("%s: %d %s %w", expr, status, body, err)
	}
	var answer struct {
		Data struct {
			Result []struct{ Value [2]any }
		}
	}
	if err := json.Unmarshal([]byte(body), &answer); err != nil {
		return nil, err
	}
	for _, r := range answer.Data.Result {
		text, _ := r.Value[1].(string)
		if v, err := strconv.ParseFloat(text, 64); err == nil && !math.IsNaN(v) && !math.IsInf(v, 0) {
			values = append(values, v)
		}
	}
	return values, nil
}

// board is the questions of the Grafana board by panel.
func board(t *testing.T) map[string]string {
	t.Helper()
	var b struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr, RefID string }
		}
	}
	raw, err := os.ReadFile("../../packaging/grafana/trimtab.json")
	if err == nil {
		err = json.Unmarshal(raw, &b)
	}
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, panel := range b.Panels {
		for _, q := range panel.Targets {
			all[panel.Title+" "+q.RefID] = strings.NewReplacer("$__rate_interval", "1m", "$__range", "1h").Replace(q.Expr)
		}
	}
	return all
}

// X5, X6, X8: an operator follows the page from nothing to two gateways with TLS behind a
// balancer, keys for two people, sign-in for a lead, a board, an audit file and a restored
// backup. Every command of the page is run, in order, and what the page says one sees is
// looked for.
func TestX5_TheOperatorsPage(t *testing.T) {
	model := fakemodel.Start(t, fakemodel.Options{Script: worker(), Keep: 2000})
	p := open(t, model.URL)
	p.rest("1.")
	if out := p.rest("2."); !strings.Contains(out, "server started") {
		t.Errorf("%s", out)
	}
	if out := p.rest("3."); !strings.Contains(out, "certificate") || strings.Contains(out, "FAIL") {
		t.Errorf("doctor:\n%s", out)
	}
	if out := p.rest("4."); !strings.Contains(out, "ok\nok\n") {
		t.Errorf("%s", out)
	}
	p.rest("5.")
	ann, bob := p.keys()
	p.leadSignsIn(ann)
	p.boardShows(ann, bob)
	p.audited()
	p.restored(ann, bob)
	p.dayByDay(ann, bob)
	p.rest("Stop it all")
	if len(p.left) != 0 {
		t.Errorf("not run: %v", p.left)
	}
	model.NoneRefused(t)
	for _, name := range []string{"gateway1.log", "gateway2.log", "caddy.log", "audit.jsonl", "dex.log"} {
		for _, secret := range []string{providerKey, ann, bob, strings.TrimSpace(read(p.team("signin.secret")))} {
			if strings.Contains(read(p.team(name)), secret) {
				t.Errorf("%s holds a secret", name)
			}
		}
	}
}

// keys runs the page's part on keys; requests of both people go through.
func (p *page) keys() (ann, bob string) {
	p.t.Helper()
	p.next("6.")
	p.next("6.")
	ann = regexp.MustCompile(`ANTHROPIC_API_KEY=(\S+)`).FindStringSubmatch(read(p.team("for-ann.sh")))[1]
	if out := p.next("6."); out != "200\n200\n403\n" {
		p.t.Fatalf("%s\n%s", out, p.logs())
	}
	out, err := p.trimtab("serve", "key", "list", "--json")
	var list []struct{ Name, User, State string }
	if err == nil {
		err = json.Unmarshal(out, &list)
	}
	if err != nil || len(list) != 2 || list[0].User != "ann" || list[1].User != "bob" || list[0].State != "valid" {
		p.t.Fatalf("%v %s", err, out)
	}
	// Bob's key is in a variable of the shell alone.
	file := filepath.Join(p.folder, "home", "bob")
	fmt.Fprintf(p.in, "echo $BOB >%s; echo told\n", file)
	if !p.said.Scan() || p.said.Text() != "told" {
		p.t.Fatal("the shell is gone")
	}
	return ann, strings.TrimSpace(read(file))
}

// trimtab runs the program as the operator.
func (p *page) trimtab(args ...string) ([]byte, error) {
	c := p.command(filepath.Join(p.folder, "bin", "trimtab"), args...)
	c.Env = append(c.Env, "TRIMTAB_CONFIG="+p.team("gateway.json"), "TRIMTAB_DATA="+p.team("operator"))
	var wrong bytes.Buffer
	c.Stderr = &wrong
	out, err := c.Output()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, wrong.String())
	}
	return out, err
}

func (p *page) leadSignsIn(ann string) {
	p.t.Helper()
	p.rest("7.")
	c := p.browser()
	if status, body := p.get(c, p.url("/trimtab/whoami")); status != http.StatusUnauthorized {
		p.t.Errorf("before: %d %s", status, body)
	}
	if status, body := p.signIn(c, "lead@example.com", "a-lead-signs-in"); status != 200 || !strings.Contains(body, `"user":"lead@example.com"`) || !strings.Contains(body, `"role":"approve"`) {
		p.t.Fatalf("%d %s\n%s", status, body, p.logs())
	}
	if status, body := p.get(c, p.url("/trimtab/api/sessions")); status != 200 || !strings.Contains(body, `"u:ann:`) || !strings.Contains(body, `"u:bob:`) {
		p.t.Errorf("the lead does not see everybody's sessions: %d %s", status, body)
	}
	if status, body := p.get(p.browser(), p.url("/trimtab/api/sessions"), "Authorization", "Bearer "+ann); status != 200 || !strings.Contains(body, `"u:ann:`) || strings.Contains(body, `"u:bob:`) {
		p.t.Errorf("Ann sees what is not hers: %d %s", status, body)
	}
	if status, body := p.signIn(p.browser(), "lead@example.com", "guessed"); status == 200 && strings.Contains(body, "approve") {
		p.t.Errorf("a wrong password: %d %s", status, body)
	}
}

// boardShows has people work until every question of the board is answered by the real
// Prometheus, which scrapes both gateways.
func (p *page) boardShows(ann, bob string) {
	p.t.Helper()
	p.next("8.")
	if status, _ := p.get(p.browser(), p.url("/metrics")); status != http.StatusNotFound {
		p.t.Errorf("the balancer hands out metrics: %d", status)
	}
	if status, _ := p.get(p.browser(), "https://127.0.0.1:"+p.port("8701")+"/metrics"); status != http.StatusUnauthorized {
		p.t.Errorf("metrics without the token: %d", status)
	}
	p.until("both gateways are scraped", func() bool {
		up, err := p.query("up{job=\"trimtab\"}")
		return err == nil && slices.Equal(up, []float64{1, 1})
	})
	open := board(p.t)
	if len(open) < 15 {
		p.t.Fatalf("%d questions", len(open))
	}
	total := len(open)
	c := p.browser()
	for round := 0; len(open) > 0; round++ {
		if round == 60 {
			p.t.Fatalf("the board has no data for %v\n%s", open, p.logs())
		}
		err := errors.Join(
			p.work(p.t.Context(), c, ann, fmt.Sprint("ann-", round), "claude-opus-5", "automata: tidy this", "go on"),
			p.work(p.t.Context(), c, bob, fmt.Sprint("bob-", round), "claude-opus-5", "fix the test", "and the docs"))
		if err != nil {
			p.t.Fatalf("%v\n%s", err, p.logs())
		}
		for name, expr := range open {
			values, err := p.query(expr)
			if err != nil {
				p.t.Fatal(name, err)
			}
			if len(values) > 0 {
				delete(open, name)
			}
		}
	}
	p.until("notes by kind, and heeded ones among them", func() bool {
		kinds, err := p.query("sum by (by) (trimtab_notes_injected_total) > 0")
		heeded, err2 := p.query("sum by (by) (trimtab_notes_heeded_total) > 0")
		return err == nil && err2 == nil && len(kinds) >= 2 && len(heeded) >= 1
	})
	for _, port := range []string{"8701", "8702"} {
		values, err := p.query(`sum(trimtab_calls_total{instance="127.0.0.1:` + p.port(port) + `"})`)
		if err != nil || len(values) != 1 || values[0] < 10 {
			p.t.Errorf("gateway %s: %v %v", port, values, err)
		}
	}
	p.t.Logf("the board: %d questions, all answered", total)
	if out := p.next("8."); !strings.Contains(out, `"status":"success"`) || !strings.Contains(out, `"slot"`) {
		p.t.Errorf("%s", out)
	}
}

func (p *page) audited() {
	p.t.Helper()
	p.rest("9.")
	var all []string
	for line := range strings.Lines(read(p.team("audit.jsonl"))) {
		var e struct{ At, Who, What, More string }
		if err := json.Unmarshal([]byte(line), &e); err != nil || e.At == "" {
			p.t.Fatalf("%v: %s", err, line)
		}
		all = append(all, e.Who+" "+e.What)
	}
	if want := []string{"operator key.create", "operator key.create", "lead@example.com sign-in"}; !slices.Equal(all, want) {
		p.t.Errorf("%v", all)
	}
}

func (p *page) restored(ann, bob string) {
	p.t.Helper()
	p.next("10.")
	before := strings.Split(strings.TrimSpace(read(p.team("before"))), "\n")
	if text := strings.Join(before, "\n"); len(before) < 4 || !strings.Contains(text, `"u:ann:`) || !strings.Contains(text, `"u:bob:`) {
		p.t.Fatalf("%s", text)
	}
	if out := p.next("10."); !strings.Contains(out, "the store does not answer") {
		p.t.Errorf("%s", out)
	}
	if err := p.work(p.t.Context(), p.browser(), ann, "ann-without", "claude-opus-5", "go on"); err != nil {
		p.t.Errorf("without the database: %v\n%s", err, p.logs())
	}
	p.next("10.") // it compares by itself
	p.t.Logf("%d sessions were lost and restored", len(before))
	for name, key := range map[string]string{"ann": ann, "bob": bob} { // the keys are good again
		if err := p.work(p.t.Context(), p.browser(), key, name+"-after", "claude-opus-5", "go on"); err != nil {
			p.t.Errorf("%v\n%s", err, p.logs())
		}
	}
}

func (p *page) dayByDay(ann, bob string) {
	p.t.Helper()
	p.next("Day by day")
	p.until("a revoked key is refused by both gateways", func() bool {
		for range 6 {
			if p.work(p.t.Context(), p.browser(), bob, "bob-revoked", "claude-opus-5", "go on") == nil {
				return false
			}
		}
		return true
	})
	until := func() time.Time {
		conn, err := tls.Dial("tcp", "127.0.0.1:"+p.port("8702"), &tls.Config{InsecureSkipVerify: true}) // which certificate it has is the question
		if err != nil {
			p.t.Fatal(err)
		}
		defer conn.Close()
		return conn.ConnectionState().PeerCertificates[0].NotAfter
	}
	old := until()
	if out := p.next("Day by day"); strings.Contains(out, "FAIL") {
		p.t.Errorf("%s", out)
	}
	p.until("the new certificate is used", func() bool { return until().After(old) })
	p.next("Day by day") // a restart; the balancer answers meanwhile
	if err := p.work(p.t.Context(), p.browser(), ann, "ann-last", "claude-opus-5", "go on"); err != nil {
		p.t.Errorf("%v\n%s", err, p.logs())
	}
	if out := p.next("Day by day"); !strings.Contains(out, "0.05") || !strings.Contains(out, "policy") {
		p.t.Errorf("the policy: %s", out)
	}
	p.policyIsKept(ann)
}

// policyIsKept changes the policy, and has Ann give a command an hour later: she has it by
// itself.
func (p *page) policyIsKept(ann string) {
	p.t.Helper()
	kept := filepath.Join(p.team("ann"), ".local", "share", "trimtab", "policy.json")
	text := regexp.MustCompile(`"at": "[^"]*"`).ReplaceAllString(read(kept), `"at": "2026-01-01T00:00:00Z"`)
	for file, body := range map[string]string{kept: text, p.team("policy.json"): `{"steering": {"budget": 0.07}, "locked": ["steering.budget"]}`} {
		if err := os.WriteFile(file, []byte(body), 0o600); err != nil {
			p.t.Fatal(err)
		}
	}
	p.until("the new policy is Ann's", func() bool {
		c := p.command(filepath.Join(p.folder, "bin", "trimtab"), "config", "show")
		c.Env = append(c.Env, "HOME="+p.team("ann"), "ANN="+ann, "SSL_CERT_FILE="+p.team("cert.pem"))
		out, err := c.Output()
		return err == nil && strings.Contains(string(out), "0.07")
	})
}
