// Package guidance says whether a change of what agents are told helps: recorded turns
// in which it went wrong are replayed without the change and with it, and both answers
// are judged, by rules where rules can tell and by an agent where not.
//
// It asks nobody itself and reads no files: who calls it has an agent asked, and hands
// over the instructions. It carries out nothing that an answer proposes.
//
//	var r guidance.Replayer
//	without, err := r.Without(ctx, request, before, ask) // the files that agents read, as they were
//	…
//	with, err := r.With(ctx, request, without, after, ask)
//	…
//	if all := improve.Compare(without, with); !all.Better() {
//		return errors.New(all.Failed())
//	}
package guidance
