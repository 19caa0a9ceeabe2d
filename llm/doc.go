// Package llm is for the models that our own agents talk to.
//
// It holds the one interface that every model answers, Model, and the words of
// a request and of a streamed reply. A model gets the whole conversation with
// each request and keeps nothing of it: the same request may be sent again. The
// package never runs a tool, never stores anything and knows nothing of steering;
// the agent does the first, package session the rest.
//
//	for chunk, err := range model.Stream(ctx, llm.Request{Messages: view, Tools: offered}) {
//		if err != nil {
//			return err // the reply broke off: there is no message
//		}
//		switch c := chunk.(type) {
//		case llm.TextDelta:
//			fmt.Print(c.Text)
//		case llm.Retrying:
//			fmt.Printf("[%s; again in %s]", c.Why, c.Wait)
//		case llm.Done:
//			reply = c.Message
//		}
//	}
//
// Whoever only wants the reply calls Collect. The folders anthropic, openai and
// gemini speak to the providers and to all who took over their formats, demo
// holds the model that is built in, and pick finds the one that a name means.
package llm
