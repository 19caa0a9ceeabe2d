package session_test

import (
	"errors"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/session"
	"github.com/trimtab/trimtab/store/memory"
)

func TestNewest_PassesOverSubAgents(t *testing.T) {
	st := memory.New()
	at := time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)
	for i, info := range []trimtab.Info{{ID: "old", Project: "/p"}, {ID: "new", Project: "/p", Host: "claude"}, {ID: "sub", Project: "/p", Parent: "new"}, {ID: "far", Project: "/q"}} {
		info.Updated = at.Add(time.Duration(i) * time.Minute)
		if _, err := st.Commit(t.Context(), trimtab.Commit{Session: trimtab.Session{Info: info}}); err != nil {
			t.Fatal(err)
		}
	}
	q := trimtab.Query{Project: "/p"}
	if info, err := session.Newest(t.Context(), st, q, nil); info.ID != "new" || err != nil {
		t.Errorf("%q, %v", info.ID, err)
	}
	if info, err := session.Newest(t.Context(), st, q, func(i trimtab.Info) bool { return i.Host == "" }); info.ID != "old" || err != nil {
		t.Errorf("%q, %v", info.ID, err)
	}
	if _, err := session.Newest(t.Context(), st, trimtab.Query{Project: "/none"}, nil); !errors.Is(err, trimtab.ErrNotFound) {
		t.Error(err)
	}
}
