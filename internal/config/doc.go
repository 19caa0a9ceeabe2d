// Package config lays settings from several places over each other: the
// defaults in the struct tags, the user's file, the project's file, the
// environment and the flags, each over the one before it.
//
// It works on any struct whose nested structs are the packages' Configs. A value
// that a key does not take is refused alone: what was there before it stays,
// and a Problem says where it stands, what was written and what is allowed. So
// what Load returns is always valid, however bad the files are.
//
// It never opens a file, reads the environment or prints: bytes and strings
// come in, values and problems go out.
//
//	type Config struct {
//		TodoReminder todo.Config       `json:"todoReminder"`
//		Autonomy     frame.Autonomy    `json:"autonomy"`
//		Upstreams    map[string]string `json:"upstreams" guard:"user"`
//	}
//
//	cfg, report := config.Load[Config](config.Sources{
//		Layers: []config.Layer{
//			{Name: "user", File: path, Data: own},
//			{Name: "project", File: ".trimtab/trimtab.json", Data: theirs, Guarded: true}},
//		Env:  os.Environ(),
//		Sets: []string{"todoReminder.initialTurns=10"},
//	})
//	for _, p := range report.Problems {
//		fmt.Fprintln(os.Stderr, p.Error())
//	}
//
// A map of structs, as in mcp.servers, holds entries by names that people choose.
// Each is read on its own, with its own keys and problems, and replaces the entry
// of that name in an earlier layer as a whole.
//
// The tags are those of settingtag.Field and three more: env gives a key further
// names in the environment, guard:"user" keeps a key, or a whole section, out of
// the reach of a Guarded layer, and hide:"true" keeps its values out of what is
// shown. Schema writes the JSON Schema of the same struct, and Check finds
// mistakes in its declaration.
package config
