// Package stat holds the few statistics that we tell people: exact tests for small
// counts, intervals, and how much more would have to be measured to tell. It is pure;
// where chance is needed it comes from a seed, so that a report can be made again.
//
//	p := stat.Fisher(8, 10, 1, 12)        // did it become rarer?
//	p = stat.SignFlip([]int{1, 0, 1, 1})  // do pairs differ, in one direction or the other?
//	low, high := stat.Share(7, 12)        // 95 % interval of a share
package stat

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Fisher is the chance that at most b of n are among those that show something, where a
// of m and b of n are seen and nothing has changed: Fisher's exact test in one direction.
func Fisher(a, m, b, n int) float64 {
	k := a + b
	if m == 0 || n == 0 || k == 0 {
		return 1
	}
	sum := 0.0
	for x := max(0, k-m); x <= min(b, n, k); x++ {
		sum += math.Exp(choose(n, x) + choose(m, k-x) - choose(m+n, k))
	}
	return min(sum, 1)
}

// choose is the logarithm of the binomial coefficient.
func choose(n, k int) float64 {
	if k < 0 || k > n {
		return math.Inf(-1)
	}
	log := func(x int) float64 { v, _ := math.Lgamma(float64(x) + 1); return v }
	return log(n) - log(k) - log(n-k)
}

// SignFlip is the chance that the sum of differences of pairs is as far from zero as it is,
// in either direction, if each difference could as well have had the other sign. With
// differences of -1, 0 and 1 it is McNemar's exact test.
func SignFlip(differences []int) float64 {
	sum, reach := 0, 0
	for _, d := range differences {
		sum += d
		reach += max(d, -d)
	}
	if reach == 0 {
		return 1
	}
	chance := make([]float64, 2*reach+1) // of each sum, from -reach to reach
	chance[reach] = 1
	for _, d := range differences {
		if d == 0 {
			continue
		}
		next := make([]float64, len(chance))
		for i, p := range chance {
			if p > 0 {
				next[i+d] += p / 2
				next[i-d] += p / 2
			}
		}
		chance = next
	}
	total := 0.0
	for i, p := range chance {
		if s := i - reach; max(s, -s) >= max(sum, -sum) {
			total += p
		}
	}
	return min(total, 1)
}

// Share is the exact 95 % interval (Clopper and Pearson) of a share of which k of n were seen.
func Share(k, n int) (low, high float64) {
	if n == 0 {
		return 0, 1
	}
	low, high = 0, 1
	if k > 0 {
		low = bisect(func(p float64) bool { return atLeast(k, n, p) < 0.025 })
	}
	if k < n {
		high = bisect(func(p float64) bool { return 1-atLeast(k+1, n, p) > 0.025 })
	}
	return low, high
}

// bisect is where a condition that holds at 0 ceases to hold, below 1.
func bisect(holds func(p float64) bool) float64 {
	low, high := 0.0, 1.0
	for range 60 {
		if mid := (low + high) / 2; holds(mid) {
			low = mid
		} else {
			high = mid
		}
	}
	return (low + high) / 2
}

// atLeast is the chance of k or more of n, each with chance p.
func atLeast(k, n int, p float64) float64 {
	if p <= 0 || p >= 1 {
		if p >= 1 || k <= 0 {
			return 1
		}
		return 0
	}
	sum := 0.0
	for x := k; x <= n; x++ {
		sum += math.Exp(choose(n, x) + float64(x)*math.Log(p) + float64(n-x)*math.Log1p(-p))
	}
	return min(sum, 1)
}

// rounds is how often the bootstrap draws.
const rounds = 4000

// Bootstrap is the mean of values and its 95 % interval. The values come in groups, which are
// drawn whole and then from within: repeats of one task are more alike than tasks are. One
// group is drawn from within only.
func Bootstrap(groups [][]float64, seed uint64) (mean, low, high float64) {
	groups = slices.DeleteFunc(slices.Clone(groups), func(g []float64) bool { return len(g) == 0 })
	if len(groups) == 0 {
		return 0, 0, 0
	}
	mean = meanOf(groups)
	rng := rand.New(rand.NewPCG(seed, 0x7472696d)) // #nosec G404 -- a report that can be made again
	drawn := make([]float64, rounds)
	for i := range drawn {
		sum, n := 0.0, 0
		for range groups {
			g := groups[rng.IntN(len(groups))]
			for range g {
				sum += g[rng.IntN(len(g))]
				n++
			}
		}
		drawn[i] = sum / float64(n)
	}
	slices.Sort(drawn)
	return mean, drawn[rounds*25/1000], drawn[rounds*975/1000-1]
}

func meanOf(groups [][]float64) float64 {
	sum, n := 0.0, 0
	for _, g := range groups {
		for _, v := range g {
			sum += v
			n++
		}
	}
	return sum / float64(n)
}

// Pairs is how many pairs it takes to tell, four times in five, a difference as it is seen:
// won of n pairs for one side, lost for the other. 0 is never: there is no difference.
func Pairs(won, lost, n int) int {
	if n == 0 || won == lost {
		return 0
	}
	unlike, difference := float64(won+lost)/float64(n), math.Abs(float64(won-lost))/float64(n)
	need := math.Pow((1.96*math.Sqrt(unlike)+0.84*math.Sqrt(max(unlike-difference*difference, 0)))/difference, 2)
	return max(int(math.Ceil(need)), 6) // five pairs that all agree are chance in 6 % of cases
}
