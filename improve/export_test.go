package improve

// Kept is how many things a Reflector keeps of a session.
func (r *Reflector) Kept() int {
	return len(r.calls.rows) + len(r.tools.rows) + len(r.faults.rows) + len(r.alarms.rows) + len(r.open) + len(r.people.said) + len(r.people.prompts)
}
