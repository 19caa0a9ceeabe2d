package config

// What only tests need to name.
const (
	MaxFile    = maxFile
	MaxEntries = maxEntries
	MaxName    = maxName
)
