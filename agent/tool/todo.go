package tool

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/plural"
)

const todoWriteSchema = `{
  "type": "object",
  "properties": {
    "todos": {
      "type": "array",
      "maxItems": 200,
      "description": "the whole list; it replaces the one before",
      "items": {
        "type": "object",
        "properties": {
          "content": {"type": "string", "minLength": 1, "maxLength": 500, "description": "what is to be done"},
          "status": {"type": "string", "enum": ["pending", "in_progress", "completed"]}
        },
        "required": ["content", "status"],
        "additionalProperties": false
      }
    }
  },
  "required": ["todos"],
  "additionalProperties": false
}`

const todoReadSchema = `{"type": "object", "properties": {}, "additionalProperties": false}`

const maxTodos, maxTodoText = 200, 500 // as the engine keeps them

type todoInput struct {
	Todos *[]struct {
		Content string             `json:"content"`
		Status  trimtab.TodoStatus `json:"status"`
	} `json:"todos"`
}

// TodoWrite returns the tool by which the agent keeps its todo list. It only
// checks the list: the engine keeps it when it sees the call completed.
func TodoWrite() Tool { return define("todo_write", todoWriteSchema, writeTodos) }

func writeTodos(_ context.Context, in todoInput) (string, error) {
	if in.Todos == nil {
		return "", errors.New(`"todos" is missing: give the whole list`)
	}
	if n := len(*in.Todos); n > maxTodos {
		return "", fmt.Errorf("the list has %d items; at most %d are kept", n, maxTodos)
	}
	var open, doing, done int
	for i, t := range *in.Todos {
		switch text := strings.TrimSpace(t.Content); {
		case text == "":
			return "", fmt.Errorf(`item %d: "content" is empty`, i+1)
		case len(text) > maxTodoText:
			return "", fmt.Errorf(`item %d: "content" has %d bytes; at most %d are kept`, i+1, len(text), maxTodoText)
		}
		switch t.Status {
		case trimtab.Pending:
			open++
		case trimtab.InProgress:
			doing++
		case trimtab.Completed:
			done++
		default:
			return "", fmt.Errorf(`item %d: "status" %q is not one of pending, in_progress, completed`, i+1, trimtab.Clip(string(t.Status), 40))
		}
	}
	if len(*in.Todos) == 0 {
		return "the list is empty now", nil
	}
	return fmt.Sprintf("the list has %s now: %d pending, %d in progress, %d completed", plural.Count(len(*in.Todos), "item"), open, doing, done), nil
}

// TodoRead returns the tool that shows the agent its todo list, which list
// returns as it stands in the session that the call belongs to.
func TodoRead(list func(context.Context) []trimtab.Todo) Tool {
	return define("todo_read", todoReadSchema, func(ctx context.Context, _ struct{}) (string, error) {
		todos := list(ctx)
		if len(todos) == 0 {
			return "the list is empty", nil
		}
		var s sheet
		for i, t := range todos {
			s.line(fmt.Sprintf("%d. [%s] %s", i+1, t.Status, strings.Join(strings.Fields(t.Text), " ")))
		}
		if s.full {
			s.note("the rest does not fit")
		}
		return s.text(), nil
	})
}
