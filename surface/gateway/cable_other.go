//go:build !unix

package gateway

// canPeek: where it cannot be told whether a provider hung up, another client,
// which reads ahead, goes there.
const canPeek = false

func (*cable) quiet() bool { return false }
