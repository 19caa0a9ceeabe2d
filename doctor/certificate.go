package doctor

import (
	"crypto/tls"
	"fmt"
	"time"
)

// expiresSoon is when a certificate that still holds is told.
const expiresSoon = 14 * 24 * time.Hour

// Certificate looks at the certificate of the settings: whether it can be read, fits its key,
// and until when it holds. There is nothing to say where none is set.
func Certificate(cert, key string, now time.Time) []Finding {
	if cert == "" && key == "" {
		return nil
	}
	const name, mend = "tls", "renew it and put the new files in their place; trimtab serve uses them at once"
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return []Finding{{name, Wrong, fmt.Sprintf("the certificate %s cannot be used: %v", cert, err), "set serve.cert and serve.key to a certificate chain and its key, in PEM"}}
	}
	end := pair.Leaf.NotAfter
	switch day := end.Format(time.DateOnly); {
	case now.After(end):
		return []Finding{{name, Wrong, fmt.Sprintf("the certificate %s has expired on %s: clients refuse it", cert, day), mend}}
	case now.Before(pair.Leaf.NotBefore):
		return []Finding{{name, Wrong, fmt.Sprintf("the certificate %s is not valid before %s", cert, pair.Leaf.NotBefore.Format(time.RFC3339)), "look at the clock of this machine, or wait"}}
	case now.Add(expiresSoon).After(end):
		return []Finding{{name, Note, fmt.Sprintf("the certificate %s expires on %s", cert, day), mend}}
	default:
		return []Finding{{name, OK, fmt.Sprintf("the certificate %s holds until %s", cert, day), ""}}
	}
}
