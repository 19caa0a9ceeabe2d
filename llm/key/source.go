package key

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/zalando/go-keyring"
)

// Service is the name under which the system's keyring holds our keys. The
// account is the name of the variable that would hold the key.
const Service = "trimtab"

// Ring is a keyring. One that cannot be opened has no key: that is no error.
type Ring interface {
	Get(account string) (secret string, ok bool)
}

// Source is where keys are looked for. What is nil is not looked at.
type Source struct {
	Env  func(name string) string
	Ring Ring
}

// Find returns the key of the first name that has one: all names in the
// environment first, then all in the keyring. Without one it returns an empty
// Key that knows the first name.
func (s Source) Find(names ...string) Key {
	if s.Env != nil {
		for _, name := range names {
			if k := New(s.Env(name), name); !k.Empty() {
				return k
			}
		}
	}
	if s.Ring != nil {
		for _, name := range names {
			if secret, ok := s.Ring.Get(name); ok {
				if k := New(secret, "the keyring as "+Service+" "+name); !k.Empty() {
					return k
				}
			}
		}
	}
	if len(names) == 0 {
		return Key{}
	}
	return Key{from: names[0]}
}

// System returns the keyring of the system.
func System() Ring { return &system{get: keyring.Get} }

// Store keeps a key in the system's keyring, where a Source finds it.
func Store(account, secret string) error {
	if k := New(secret, account); k.Empty() {
		return errors.New("that is no key: it is empty, or has control characters in it")
	}
	done := make(chan error, 1) // so that an answer that comes too late is no leak
	go func() { done <- keyring.Set(Service, account, strings.TrimSpace(secret)) }()
	timer := time.NewTimer(storePatience)
	defer timer.Stop()
	select {
	case err := <-done:
		if err != nil {
			return fmt.Errorf("the system's keyring does not take it (%w); set %s in the environment instead", err, account)
		}
		return nil
	case <-timer.C:
		return fmt.Errorf("the system's keyring does not answer; set %s in the environment instead", account)
	}
}

// storePatience is how long a person may take to unlock the keyring.
const storePatience = time.Minute

// patience is how long a keyring may take. One that asks the person to unlock it
// and gets no answer must not hold everything else.
const patience = 3 * time.Second

type system struct {
	get  func(service, account string) (string, error)
	mu   sync.Mutex
	dead bool // it did not answer: it is not asked again
}

func (s *system) Get(account string) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dead {
		return "", false
	}
	type answer struct {
		secret string
		err    error
	}
	got := make(chan answer, 1) // so that an answer that comes too late is no leak
	go func() {
		secret, err := s.get(Service, account)
		got <- answer{secret, err}
	}()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case a := <-got:
		return a.secret, a.err == nil && a.secret != ""
	case <-timer.C:
		s.dead = true
		return "", false
	}
}
