package setting

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// ParseAge reads a duration with days.
func ParseAge(s string) (time.Duration, error) {
	if s == "" {
		return 0, fmt.Errorf("say how old: --older-than 90d")
	}
	if days, ok := strings.CutSuffix(s, "d"); ok {
		n, err := strconv.Atoi(days)
		if err != nil || n < 0 || n > 36500 {
			return 0, fmt.Errorf("%q is not an age; give days as in 90d, or hours as in 12h", s)
		}
		return time.Duration(n) * 24 * time.Hour, nil
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("%q is not an age; give days as in 90d, or hours as in 12h", s)
	}
	return d, nil
}
