// Package forgetest says what every forge must do, and holds fakes of the forges
// that cannot be run in a test.
//
// Run is the one suite: it runs on the folder, on the fakes and on a real Gitea,
// so that they cannot drift apart. Faults is the suite of lost, cut and late
// answers, for forges behind HTTP. A Hub is a strict fake: it takes no path, field
// or query that the real API does not have, serves a real repository to git, and
// can do its work and lose the answer, or do it later than anyone expects.
//
// It never looks inside a forge.
//
//	func TestForge(t *testing.T) {
//		forgetest.Run(t, func(t *testing.T) forgetest.World {
//			hub := forgetest.GitHub(t)
//			us, err := github.New(github.Config{URL: hub.URL, Repo: hub.Repo}, github.Options{Token: hub.Token("ada")})
//			…
//			return forgetest.World{Forge: us, Other: them}
//		})
//	}
package forgetest
