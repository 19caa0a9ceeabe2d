package sandbox

import "path/filepath"

// PrivateFiles are the files below our data folder that no agent and no command of
// a project may read: sessions of other projects, the records of the work, and the
// key by which we know again what we filed. Whoever could read the key could have
// an issue of their own taken for ours.
func PrivateFiles(data string) []string {
	var all []string
	for _, name := range []string{"trimtab.db", filepath.Join("improve", "flow.db")} {
		for _, end := range []string{"", "-wal", "-shm"} {
			all = append(all, filepath.Join(data, name+end))
		}
	}
	return append(all, filepath.Join(data, "improve", "marker.key"))
}
