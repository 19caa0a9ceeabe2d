package stat_test

import (
	"math"
	"testing"

	"github.com/trimtab/trimtab/internal/stat"
)

func near(a, b float64) bool { return math.Abs(a-b) < 1e-3 }

// Figures that books print.
func TestKnownFigures(t *testing.T) {
	if p := stat.Fisher(3, 4, 1, 4); !near(p, 17.0/70) { // the lady tasting tea
		t.Errorf("Fisher: %v", p)
	}
	for _, c := range []struct {
		won, lost int
		want      float64
	}{{6, 0, 2.0 / 64}, {5, 0, 2.0 / 32}, {8, 2, 0.109375}, {0, 0, 1}, {3, 3, 1}} {
		var d []int
		for range c.won {
			d = append(d, 1)
		}
		for range c.lost {
			d = append(d, -1)
		}
		if p := stat.SignFlip(append(d, 0, 0)); !near(p, c.want) {
			t.Errorf("%d to %d: %v, want %v", c.won, c.lost, p, c.want)
		}
	}
	if low, high := stat.Share(7, 10); !near(low, 0.3475) || !near(high, 0.9333) {
		t.Errorf("7 of 10: %v to %v", low, high)
	}
	if low, high := stat.Share(0, 10); low != 0 || !near(high, 0.3085) {
		t.Errorf("0 of 10: %v to %v", low, high)
	}
	if low, high := stat.Share(10, 10); !near(low, 0.6915) || high != 1 {
		t.Errorf("10 of 10: %v to %v", low, high)
	}
}

// The same seed gives the same interval; no spread gives none.
func TestBootstrap(t *testing.T) {
	groups := [][]float64{{1, 0, 1}, {0, 0, 1}, {1, 1, 1}, nil}
	mean, low, high := stat.Bootstrap(groups, 1)
	again, low2, high2 := stat.Bootstrap(groups, 1)
	if mean != again || low != low2 || high != high2 || !near(mean, 2.0/3) || low > mean || high < mean || low == high {
		t.Errorf("%v (%v to %v), %v (%v to %v)", mean, low, high, again, low2, high2)
	}
	if mean, low, high := stat.Bootstrap([][]float64{{2, 2}, {2}}, 1); mean != 2 || low != 2 || high != 2 {
		t.Errorf("%v (%v to %v)", mean, low, high)
	}
	if mean, low, high := stat.Bootstrap(nil, 1); mean != 0 || low != 0 || high != 0 {
		t.Errorf("nothing: %v (%v to %v)", mean, low, high)
	}
}

func TestPairs(t *testing.T) {
	if few, many := stat.Pairs(6, 0, 10), stat.Pairs(12, 10, 100); few < 6 || few > 30 || many < 1000 || stat.Pairs(2, 2, 9) != 0 || stat.Pairs(0, 0, 0) != 0 {
		t.Errorf("%d, %d", few, many)
	}
}
