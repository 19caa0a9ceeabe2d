package key_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/zalando/go-keyring"

	"github.com/trimtab/trimtab/llm/key"
)

// TestChat_A7_AKeyThatWasTypedIsFound, and one that the keyring refuses is told of without it.
func TestChat_A7_AKeyThatWasTypedIsFound(t *testing.T) {
	keyring.MockInit()
	if err := key.Store("X_API_KEY", " "+secret+"\n"); err != nil {
		t.Fatal(err)
	}
	if k := (key.Source{Ring: key.System()}).Find("X_API_KEY"); k.Empty() || strings.Contains(k.String(), secret) {
		t.Errorf("%v", k)
	}
	if err := key.Store("X_API_KEY", " \n"); err == nil {
		t.Error("an empty key was taken")
	}
	keyring.MockInitWithError(errors.New("locked"))
	if err := key.Store("X_API_KEY", secret); err == nil || strings.Contains(err.Error(), secret) || !strings.Contains(err.Error(), "set X_API_KEY in the environment") {
		t.Errorf("%v", err)
	}
}
