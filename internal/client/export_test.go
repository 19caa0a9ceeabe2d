package client

// What only tests need to name.
const CacheVariable = cacheVariable

var Cache = cacheFolder

// Version returns the pinned version of a client.
func Version(name string) (string, error) {
	p, err := find(name)
	return p.version, err
}
