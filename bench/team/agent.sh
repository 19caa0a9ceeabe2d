# A scripted agent for the sample project: it does each step for real, and asks no model.
cat >/dev/null
case $1 in
clarify) printf '## Requirements\n- a decimal comma is read\n\n## Acceptance criteria\n- Parse("7,5 m") is 7.5\n' ;;
design) cat >comma_test.go <<'END'
package soundings

import "testing"

func TestParseTakesADecimalComma(t *testing.T) {
	if got, err := Parse("7,5 m"); err != nil || got != 7.5 {
		t.Errorf("Parse = %v, %v", got, err)
	}
}
END
	echo "Parse replaces the comma." ;;
implement)
	sed 's/strconv.ParseFloat(text, 64)/strconv.ParseFloat(strings.ReplaceAll(text, ",", "."), 64)/' depth.go >depth.new
	mv depth.new depth.go
	echo "Parse reads a comma." ;;
review) printf '```json\n{"verdict": "accept", "why": "the comma is read and the test fails without it", "criteria": [{"criterion": 1, "met": true, "proof": "TestParseTakesADecimalComma"}], "findings": [{"file": "depth.go", "line": 1, "severity": "low", "text": "say it in the comment"}]}\n```\n' ;;
"security review") printf '```json\n{"verdict": "accept", "why": "a number is read from a short text, nothing else", "findings": []}\n```\n' ;;
feedback)
	sed 's/"7.5m" or "12 m"/"7.5m", "7,5 m" or "12 m"/' depth.go >depth.new
	mv depth.new depth.go
	printf '```json\n[{"finding": 1, "text": "It does."}]\n```\n' ;;
*) echo "Nothing to do." ;;
esac
