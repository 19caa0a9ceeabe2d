// Package jsonl splits files of JSON lines. It never holds more than one line, and
// passes over those that are too long without holding them. What is in a line is
// for package jsonscan to read; it knows no host and starts no goroutine.
//
//	lines := jsonl.NewLines(r, 64<<20)
//	for {
//		line, err := lines.Next()
//		if err == io.EOF {
//			break
//		}
//		c := jsonscan.Object(line)
//		for c.Next() {
//			fmt.Printf("%d: %s = %s\n", lines.N, c.Key, c.Value)
//		}
//	}
package jsonl
