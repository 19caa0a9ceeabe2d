package config

// formerly has the keys that had another name before, by that name. Their values do not
// carry over, so they are told and not taken.
var formerly = map[string]string{
	"steering.retract": "steering.travel",
}

// renamed finds the key that has taken the place of another, which is named by its path
// or by its variable of the environment.
func (s *shape) renamed(name string) (Key, bool) {
	for old, path := range formerly {
		if name != old && name != envName(old) {
			continue
		}
		for _, k := range s.keys {
			if k.Path == path {
				return k, true
			}
		}
	}
	return Key{}, false
}
