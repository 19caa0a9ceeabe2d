package key

import (
	"errors"
	"testing"
	"testing/synctest"
)

// A keyring may wait for a person who is not there.
func TestAKeyringThatDoesNotAnswerIsNotAskedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		wake := make(chan struct{})
		s := &system{get: func(string, string) (string, error) { asked++; <-wake; return "late", nil }}
		for range 3 {
			if secret, ok := s.Get("A"); ok {
				t.Errorf("got %q", secret)
			}
		}
		close(wake)
		synctest.Wait()
		if asked != 1 {
			t.Errorf("asked %d times", asked)
		}
	})
}

func TestAMissingKeyringIsNoKey(t *testing.T) {
	s := &system{get: func(string, string) (string, error) { return "", errors.New("no bus") }}
	if _, ok := s.Get("A"); ok {
		t.Error("a key from no keyring")
	}
}
