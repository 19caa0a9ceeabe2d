package gateway

import "testing"

// TestH2_WhatModelsDo: a table as data, and a Claude model that nobody knows counts as
// bound.
func TestH2_WhatModelsDo(t *testing.T) {
	for model, want := range map[string][3]bool{ // is, bound, system
		"claude-opus-5-5":                        {true, true, true},
		"claude-opus-5-5-20261001":               {true, true, true},
		"us.anthropic.claude-sonnet-5-5-v1:0":    {true, true, true},
		"claude-haiku-5-5@20261001":              {true, true, true},
		"claude-fable-5-1":                       {true, true, true},
		"claude-fable-5":                         {true, false, true},
		"claude-mythos-5.2":                      {true, true, true},
		"claude-opus-5":                          {true, false, true},
		"claude-opus-4-8":                        {true, false, true},
		"claude-opus-4-7":                        {true, false, false},
		"claude-sonnet-5":                        {true, false, false},
		"claude-3-5-haiku-20241022":              {true, false, false},
		"claude-opus-6":                          {true, true, true},
		"claude-saga-1":                          {true, true, false},
		"claude-next":                            {true, true, false},
		"gpt-5.5":                                {},
		"":                                       {},
		"glm-5":                                  {},
		"anthropic/claude-opus-5.5":              {true, true, true},
		"CLAUDE-OPUS-5-5[1m]":                    {true, true, true},
		"claude-" + string(make([]byte, 100000)): {true, true, false},
	} {
		is, bound, system := claude(model)
		if got := [3]bool{is, bound, system}; got != want {
			t.Errorf("%.40q: %v, want %v", model, got, want)
		}
	}
}
