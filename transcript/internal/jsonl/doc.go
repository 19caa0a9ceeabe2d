// Package jsonl reads files of JSON lines in place. Lines splits a stream and
// never holds more than one line; a Cursor steps through an object or an array
// and hands out its values as spans of the line, so that what nobody asks for is
// never decoded; a Decoder reads the values that are kept.
//
// It is lenient where that is safe: a value that is stepped over is only checked
// for its brackets and quotes. It never keeps a span beyond the next line, knows
// no host and starts no goroutine.
//
//	lines := jsonl.NewLines(r, 64<<20)
//	for {
//		line, err := lines.Next()
//		if err == io.EOF {
//			break
//		}
//		c := jsonl.Object(line)
//		for c.Next() {
//			fmt.Printf("%d: %s = %s\n", lines.N, c.Key, c.Value)
//		}
//	}
package jsonl
