// Package scan reads JSON where it lies: it finds where values end, tells what
// they hash to and decodes the few that someone wants, without building a tree.
//
// It checks the grammar of everything it passes (brackets, commas, names,
// numbers, nesting) and leaves the insides of strings to whoever decodes them: a
// raw control character or a bad escape is the upstream's to refuse. It never
// changes a byte, allocates nothing while it scans, and knows no API.
//
//	s := scan.Scanner{B: body}
//	end, hash := s.Value(s.Space(0), 0)
//	if end < 0 {
//		return s.Err()
//	}
//	for name, value := range scan.Members(body[:end]) {
//		text, _ := scan.Unquote(value)
//	}
package scan
