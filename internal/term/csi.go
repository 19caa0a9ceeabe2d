package term

import (
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

func (s *Screen) csi(cmd ansi.Cmd, params ansi.Params) {
	switch cmd.Prefix() {
	case '?':
		s.private(cmd, params)
		return
	case 0:
	default:
		if cmd.Prefix() == '>' && cmd.Final() == 'q' {
			s.answer("\x1bP>|term test\x1b\\")
		}
		return
	}
	if cmd.Intermediate() != 0 {
		return
	}
	n := func(i, def int) int {
		v, _, _ := params.Param(i, def)
		if v == 0 {
			return def
		}
		return v
	}
	if s.move(cmd.Final(), n) || s.edit(cmd.Final(), n) {
		return
	}
	switch cmd.Final() {
	case 'r':
		top, bottom := min(n(0, 1), s.height)-1, min(n(1, s.height), s.height)-1
		if top >= bottom { // no terminal takes that
			break
		}
		s.top, s.bottom = top, bottom
		s.x, s.y, s.wrap = 0, 0, false
	case 's':
		s.saved = [2]int{s.x, s.y}
	case 'u':
		s.restore()
	case 'm':
		s.sgr(params)
	case 'c':
		s.answer("\x1b[?62;22c")
	case 'n':
		if n(0, 0) == 6 {
			s.answer("\x1b[%d;%dR", s.y+1, s.x+1)
		}
	}
}

// move moves the cursor.
func (s *Screen) move(final byte, n func(i, def int) int) bool {
	x, y := s.x, s.y
	switch final {
	case 'A':
		y -= n(0, 1)
	case 'B', 'e':
		y += n(0, 1)
	case 'C', 'a':
		x += n(0, 1)
	case 'D':
		x -= n(0, 1)
	case 'E':
		x, y = 0, y+n(0, 1)
	case 'F':
		x, y = 0, y-n(0, 1)
	case 'G', '`':
		x = n(0, 1) - 1
	case 'd':
		y = n(0, 1) - 1
	case 'H', 'f':
		x, y = n(1, 1)-1, n(0, 1)-1
	case 'I':
		x = (x/8 + n(0, 1)) * 8
	case 'Z':
		x = max((x+7)/8-n(0, 1), 0) * 8
	default:
		return false
	}
	s.x, s.y, s.wrap = min(max(x, 0), s.width-1), min(max(y, 0), s.height-1), false
	return true
}

// edit changes what stands on the screen.
func (s *Screen) edit(final byte, n func(i, def int) int) bool {
	row := s.rows[s.y]
	switch final {
	case 'J':
		s.erase(n(0, 0))
	case 'K':
		switch n(0, 0) {
		case 0:
			clear(row[s.x:])
		case 1:
			clear(row[:s.x+1])
		default:
			clear(row)
		}
	case 'X':
		clear(row[s.x:min(s.x+n(0, 1), s.width)])
	case 'P':
		k := min(n(0, 1), s.width-s.x)
		copy(row[s.x:], row[s.x+k:])
		clear(row[s.width-k:])
	case '@':
		k := min(n(0, 1), s.width-s.x)
		copy(row[s.x+k:], row[s.x:])
		clear(row[s.x : s.x+k])
	case 'L', 'M':
		if s.y < s.top || s.y > s.bottom {
			break
		}
		top := s.top
		s.top = s.y
		k := min(n(0, 1), s.bottom-s.y+1)
		if final == 'L' {
			k = -k
		}
		main := s.main
		if main == nil {
			s.main = s.rows // lines that are deleted do not scroll away
		}
		s.scroll(k)
		s.main, s.top = main, top
	case 'S':
		s.scroll(min(n(0, 1), s.height))
	case 'T':
		s.scroll(-min(n(0, 1), s.height))
	case 'b':
		for range min(n(0, 1), s.width) {
			s.print(s.last)
		}
	default:
		return false
	}
	s.wrap = false
	return true
}

func (s *Screen) erase(what int) {
	switch what {
	case 0:
		clear(s.rows[s.y][s.x:])
		for _, row := range s.rows[s.y+1:] {
			clear(row)
		}
	case 1:
		clear(s.rows[s.y][:s.x+1])
		for _, row := range s.rows[:s.y] {
			clear(row)
		}
	case 2:
		for _, row := range s.rows {
			clear(row)
		}
	}
}

func (s *Screen) private(cmd ansi.Cmd, params ansi.Params) {
	switch cmd.Final() {
	case 'h', 'l':
		params.ForEach(0, func(_, mode int, _ bool) { s.set(mode, cmd.Final() == 'h') })
	case 'p': // is this mode known, and set?
		mode, _, _ := params.Param(0, 0)
		state := 0
		if mode == 2026 || mode == 2004 {
			state = 2
			if s.modes[mode] {
				state = 1
			}
		}
		s.answer("\x1b[?%d;%d$y", mode, state)
	}
}

func (s *Screen) set(mode int, on bool) {
	was := s.modes[mode]
	s.modes[mode] = on
	if mode != 1049 || was == on {
		return
	}
	if on {
		s.saved, s.main, s.rows = [2]int{s.x, s.y}, s.rows, blank(s.width, s.height)
		return
	}
	s.rows, s.main = s.main, nil
	s.restore()
}

// sgr remembers how characters are drawn from now on, in the sequence's own words.
func (s *Screen) sgr(params ansi.Params) {
	var words []string
	params.ForEach(0, func(_, p int, _ bool) { words = append(words, strconv.Itoa(p)) })
	if len(words) == 0 || words[0] == "0" {
		s.style = ""
		if len(words) > 0 {
			words = words[1:]
		}
	}
	if len(s.style) > 1<<10 { // a program that never resets
		s.style = ""
	}
	if len(words) > 0 {
		s.style = strings.TrimPrefix(s.style+";"+strings.Join(words, ";"), ";")
	}
}
