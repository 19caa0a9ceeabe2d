package demo

import (
	"time"

	"github.com/trimtab/trimtab"
)

func stories() []story {
	return []story{
		{trimtab.Info{ID: "demo-export", Host: "codex", Project: "/home/ada/reports", Model: "gpt-5-codex", Title: "Add a CSV export to the report page"}, 26 * time.Hour, export},
		{trimtab.Info{ID: "demo-plan", Host: "opencode", Project: "/home/ada/shop", Model: "claude-sonnet-4-5", Title: "Plan the move to the new payment provider"}, 70 * time.Minute, plan},
		{trimtab.Info{ID: "demo-loop", Host: "claude", Project: "/home/ada/shop", Model: "claude-sonnet-4-5", Title: "The checkout test is red since yesterday"}, 9 * time.Minute, loop},
	}
}

const red = `--- FAIL: TestCheckout_AppliesVoucher (0.02s)
    checkout_test.go:41: total = 5000, want 4500
FAIL
FAIL	example.com/shop/checkout	0.031s`

// loop is an agent that changes the wrong place again and again.
func loop(p *player) {
	p.person("The checkout test is red since yesterday. Find out why and mend it.")
	p.says("I'll look at the failing test first.")
	p.fails("go test ./checkout", red)
	p.read("checkout/checkout_test.go", "func TestCheckout_AppliesVoucher(t *testing.T) {\n\tcart := Cart{Lines: []Line{{Price: 5000}}, Voucher: \"TEN\"}\n\tif got := Total(cart); got != 4500 {\n\t\tt.Errorf(\"total = %d, want 4500\", got)\n\t}\n}")
	p.read("checkout/total.go", "func Total(c Cart) int {\n\tsum := 0\n\tfor _, l := range c.Lines {\n\t\tsum += l.Price\n\t}\n\treturn discount(sum, c.Voucher)\n}")
	p.fails("go test ./checkout", red)
	p.fails("go test ./checkout", red)
	p.fails("go test ./checkout", red)
	p.fails("go test ./checkout", red)
	p.fails("go test ./checkout", red)
	p.says("The same result each time, so the cause is not in `Total`. I'll look at where vouchers are looked up.")
	p.bash("grep -rn '\"TEN\"' .", "./voucher/codes.go:12:\t\"TEN10\": {Percent: 10},")
	p.read("voucher/codes.go", "var codes = map[string]Voucher{\n\t\"TEN10\": {Percent: 10},\n}")
	p.bash("git log -1 --format='%h %s' -- voucher/codes.go", "4c1f09a voucher: rename TEN to TEN10")
	p.edit("voucher/codes.go", "\"TEN10\": {Percent: 10},", "\"TEN10\": {Percent: 10},\n\t\"TEN\":   {Percent: 10}, // the old name; printed on leaflets")
	p.says("The voucher was renamed yesterday (4c1f09a) and the old name dropped out. I put it back beside the new one. **Done.**")
	p.stops()
	p.bash("go test ./...", "ok  \texample.com/shop/checkout\t0.029s\nok  \texample.com/shop/voucher\t0.008s")
	p.says("`TEN` works again, and all tests pass:\n\n| package | result |\n|---|---|\n| checkout | ok |\n| voucher | ok |")
	p.stops()
}

// plan is a session in planning mode that goes on.
func plan(p *player) {
	p.ask("mode", "planning")
	p.person("We move from the old payment provider to the new one in January. What has to be done, in which order?")
	p.bash("grep -rln oldpay .", "payment/client.go\npayment/webhook.go\ncheckout/pay.go\ndocs/payments.md")
	p.read("payment/client.go", "// Client talks to oldpay's API, version 2.")
	p.says("Three parts depend on the old provider:\n\n1. `payment/client.go`: charges and refunds\n2. `payment/webhook.go`: what it tells us later\n3. `checkout/pay.go`: the button\n\nI would put an interface between 1 and 3 first, so that both can run side by side for a month.")
	p.person("Good. What can go wrong with the webhooks?")
	p.read("payment/webhook.go", "func (h *Hook) ServeHTTP(w http.ResponseWriter, r *http.Request) {")
	p.says("- **Order**: the new provider may tell us of a refund before the charge.\n- **Twice**: both tell us again until we answer 200.\n- **Who**: the signature is made in another way; both must be checked while both run.")
}

// export is an agent that forgets its list and stops early.
func export(p *player) {
	p.person("Add a CSV export to the report page: the route, the writer with proper quoting, the button, a test, and a line in the changelog.")
	p.todos("> Add the route /report.csv", "  Write rows with encoding/csv", "  Put a button on the page", "  Test quoting and empty reports", "  Changelog")
	p.read("web/report.go", "func (s *Server) report(w http.ResponseWriter, r *http.Request) {")
	p.edit("web/report.go", "func (s *Server) report", "func (s *Server) reportCSV(w http.ResponseWriter, r *http.Request) {\n\tw.Header().Set(\"Content-Type\", \"text/csv\")\n}\n\nfunc (s *Server) report")
	for _, f := range []string{"web/routes.go", "web/table.go", "web/filter.go", "report/row.go", "report/query.go", "report/money.go", "report/date.go"} {
		p.read(f, "package "+f[:3])
	}
	p.edit("web/routes.go", "mux.HandleFunc(\"GET /report\", s.report)", "mux.HandleFunc(\"GET /report\", s.report)\n\tmux.HandleFunc(\"GET /report.csv\", s.reportCSV)")
	p.edit("web/report.go", "w.Header().Set(\"Content-Type\", \"text/csv\")", "w.Header().Set(\"Content-Type\", \"text/csv\")\n\tout := csv.NewWriter(w)\n\tdefer out.Flush()")
	p.read("report/total.go", "package report")
	p.bash("go build ./...", "")
	p.read("web/page.html", "<h1>Report</h1>")
	p.edit("web/page.html", "<h1>Report</h1>", "<h1>Report</h1> <a class=\"button\" href=\"/report.csv\">CSV</a>")
	p.says("The export is there: the route, the writer and the button.")
	p.stops()
	p.todos("x Add the route /report.csv", "x Write rows with encoding/csv", "x Put a button on the page", "> Test quoting and empty reports", "  Changelog")
	p.edit("web/report_test.go", "", "func TestReportCSV_QuotesCommas(t *testing.T) { /* … */ }")
	p.bash("go test ./...", "ok  \texample.com/reports/web\t0.041s")
	p.edit("CHANGELOG.md", "## Unreleased\n", "## Unreleased\n- Reports can be downloaded as CSV.\n")
	p.todos("x Add the route /report.csv", "x Write rows with encoding/csv", "x Put a button on the page", "x Test quoting and empty reports", "x Changelog")
	p.says("All five parts are done and the tests pass.")
	p.stops()
}
