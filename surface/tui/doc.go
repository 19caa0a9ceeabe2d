// Package tui is the chat in a terminal: the conversation above, the text being
// written below it, and one line that says where one is, with which model and
// mode, and at what price.
//
// It is thin. What people type becomes an event for the session service or a prompt for
// the agent; what happens in a run is drawn. It never calls an intervention, never
// opens a store or a model, and reads no setting: all that comes in Options, as
// values and functions. Nothing moves by itself: while nobody types and no run is
// under way, no clock is asked and nothing is drawn.
//
//	err := tui.Run(ctx, tui.Options{
//		Service:     service, // session.Service
//		Folder:   dir,
//		Model:    "demo",
//		Begin:    func(ctx context.Context, model string) (trimtab.Session, error) { … },
//		Agent:    func(ctx context.Context, model string, permit tui.Permit) (tui.Chosen, error) { … },
//		Messages: store.Messages,
//	})
//
// The parts: edit is the text under the cursor, page the conversation.
package tui
