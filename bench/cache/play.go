package main

import (
	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/replay/cache"
)

// session is what happened, recorded or made up.
type session struct {
	name   string
	info   trimtab.Info
	events []trimtab.Event
}

// lineup is a way of steering; without an engine there is none.
type lineup struct {
	name   string
	engine *trimtab.Engine
	travel cache.Travel
}

func play(way lineup, s session, p cache.Provider, system int) cache.Result {
	return cache.Play{Engine: way.engine, Provider: p, System: system, Travel: way.travel}.Run(s.info, s.events)
}
