// Package agent is the model–tool loop of our own chat, as a stream of events.
//
// An Agent takes a prompt to the model, runs the tools that the model calls,
// takes their results back, and so on until the model has no more to ask for. All
// that is said goes through the session service, which steers and stores; the
// agent applies what steering decides: what the model sees, which tool may not
// run, whether to go on or to pause. It never decides any of this itself and draws
// nothing. What changes something is asked for through Options.Permit, one call at
// a time; where nobody answers, it does not run.
//
//	a := agent.New(h, demo.New(demo.Options{}), agent.Options{History: store, Tools: tools, System: system})
//	for ev, err := range a.Run(ctx, session.ID, trimtab.Prompt("tidy this")) {
//		if err != nil {
//			return err
//		}
//		switch ev := ev.(type) {
//		case agent.Delta:
//			fmt.Print(ev.Text)
//		case agent.Stopped:
//			…
//		}
//	}
//
// However a run ends (the person cancels, the reader leaves, the model or the
// store fails), the history stays whole: every tool call in it has its result, and
// nothing half said passes for a reply.
package agent
