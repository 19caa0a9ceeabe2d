// Package report writes what reflection and the work on improvements came to, for
// people: reflections, requests with their evidence, and the steps while they run.
//
// Its functions go from values to an io.Writer. They ask no clock and open nothing:
// the time is an argument, and times are shown in its zone. All text that came from
// sessions, agents or forges is made harmless to a terminal.
//
//	err := report.Layout{Top: 10, Width: 80, Zone: time.Local}.Text(os.Stdout, reflection)
//	err = report.Item(os.Stdout, item, folder, time.Now())
//
//	board := report.NewBoard(report.BoardOptions{Out: os.Stderr}, items)
//	defer board.Close()
//	board.Show(event)
package report
