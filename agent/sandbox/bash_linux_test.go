package sandbox

import (
	"context"
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/trimtab/trimtab/agent/tool"
)

// The tool and the box together: what a model may do is what the box lets it.
func TestBashInTheBox(t *testing.T) {
	if c := choose(system{}, "landlock", true, false, false); c.kind != Landlock {
		t.Skip(c.why)
	}
	dir, out := folders(t)
	b, err := New(Config{Mode: "landlock"}, Options{Dir: dir, Self: os.Args[0]})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	f, err := tool.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	bash, err := f.Bash(tool.BashOptions{Environ: []string{"PATH=" + os.Getenv("PATH")}, Confine: b.ConfineAs})
	if err != nil {
		t.Fatal(err)
	}
	call := func(ctx context.Context, command string) (string, error) {
		input, err := json.Marshal(map[string]string{"command": command, "dir": "sub"})
		if err != nil {
			t.Fatal(err)
		}
		return bash.Call(ctx, input)
	}
	if got, err := call(t.Context(), `echo "it's" > a && cat a && pwd`); got != "it's\n"+dir+"/sub" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := call(t.Context(), `echo x > `+out+`/x`); err == nil || !strings.Contains(got, "ermission denied") {
		t.Errorf("%q, %v", got, err)
	}
	got, err := call(t.Context(), `sleep 300 & echo $!`) // the box does not hide it from being ended
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(got)
	if err != nil {
		t.Fatal(err)
	}
	for range 20000 {
		raw, _ := os.ReadFile("/proc/" + got + "/stat")
		if err = syscall.Kill(pid, 0); err != nil || strings.Contains(string(raw), ") Z ") {
			return
		}
	}
	t.Errorf("program %d still runs", pid)
}
