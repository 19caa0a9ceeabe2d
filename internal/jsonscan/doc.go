// Package jsonscan reads JSON where it lies, without building a tree: it finds where
// values end, tells what they hash to and decodes the few that someone wants. It
// is for bytes of which most are passed on or passed over; what is wanted as a
// whole is better read by encoding/json.
//
// There are two ways through a value. A Scanner, and Members, Elements and Find,
// which use it, check the grammar of everything they pass (brackets, commas, names,
// numbers, nesting). A Cursor goes into the values that it is asked to and is
// lenient with what it steps over: of that, only brackets and quotes are looked at.
// Both leave the insides of strings to whoever decodes them: String refuses a
// bad escape, Unquote and AppendText keep it as it is written.
//
// Readable is the form for people, and for a model that reads its own calls again.
//
// The package never changes the bytes it is given, allocates nothing while it scans, knows no API
// and no host, and imports nothing of ours.
//
//	s := jsonscan.Scanner{B: body}
//	end, hash := s.Value(s.Space(0), 0)
//	if end < 0 {
//		return s.Err()
//	}
//	c := jsonscan.Object(body[:end])
//	for c.Next() {
//		if string(c.Key) == "text" {
//			text, err = jsonscan.String(c.Value)
//		}
//	}
package jsonscan
