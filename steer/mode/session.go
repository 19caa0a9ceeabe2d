package mode

// Default is the mode with a goal that is taken where none is named.
const Default = "copywrite"

// Custom is the built-in mode that a file may replace.
const Custom = "custom"

// Sessions returns the eight built-in modes with a goal. A file may take the
// place of the last one, custom, and of no other.
func Sessions() []Definition {
	all := []Definition{copywrite(), siteSurvey(), ideaValidation(), ideation(), willItWork(), businessPlan(), gtmStrategy(), custom()}
	for i := range all {
		d := &all[i]
		d.Goal, d.Instructions = prompt(d.ID+".goal"), prompt(d.ID)
		on := true
		d.Loop.Enabled, d.Loop.Similarity, d.Loop.Window = &on, 0.7, 10
	}
	return all
}

// c is a criterion with its headings.
func c(id, description string, aliases ...string) Criterion {
	return Criterion{ID: id, Description: description, Aliases: aliases}
}

func copywrite() Definition {
	return Definition{
		ID: "copywrite", Name: "Copywriting", Icon: "✍️", Description: "Create compelling website copy through structured debate",
		Every: 8, Most: 105, Research: 5, PerTopic: 2, Needed: 1, Loop: Loop{Similar: 3},
		Phases: []Phase{
			{"discovery", "Discovery", 15, "Understand audience, pain points, value proposition", []Criterion{c("audience_defined", "who this is for, and in which moment", "audience", "target audience"), c("pain_points_identified", "what hurts them now", "pain points")}},
			{"research", "Research", 20, "Gather competitive intelligence, market data", []Criterion{c("competitor_analysis", "what others promise them, and how", "competitors"), c("market_context", "what moves this market now", "market")}},
			{"ideation", "Ideation", 25, "Generate messaging angles, hooks, value props", []Criterion{c("multiple_angles", "two angles or more, from different authors", "angles", "messaging angles"), c("consensus_direction", "one angle that most stand behind", "direction")}},
			{"synthesis", "Synthesis", 15, "Combine best elements, resolve conflicts", []Criterion{c("unified_direction", "one promise, one tone, one reader", "unified direction"), c("key_messages", "the three to five things the page must say", "key messages")}},
			{"drafting", "Drafting", 30, "Write actual copy sections", []Criterion{{ID: "hero_copy"}, {ID: "value_props"}, {ID: "cta"}}},
		},
		Success: []Criterion{
			c("hero_copy", "Hero section copy drafted", "hero", "hero section"),
			c("value_props", "Value propositions defined", "value propositions", "benefits"),
			c("cta", "Call-to-action crafted", "call to action", "calls to action"),
			c("consensus", "Team consensus on messaging", "agreement"),
		},
	}
}

func siteSurvey() Definition {
	return Definition{
		ID: "site-survey", Name: "Site Survey", Icon: "🔍", Description: "Analyze existing site, recommend improvements",
		Every: 10, Most: 60, Research: 6, PerTopic: 2, Needed: 1, Loop: Loop{Similar: 3},
		Phases: []Phase{
			{"analyze", "Analyze", 15, "Read the pages as they are. Quote them: what they say, to whom, and what they ask the visitor to do. No opinion yet", []Criterion{c("page_inventory", "the pages and passages that matter, quoted", "inventory", "pages")}},
			{"diagnose", "Diagnose", 12, "Say what fails the visitor, where, and why; rank it by what it costs", []Criterion{c("problems_ranked", "the problems, the costliest first", "problems", "diagnosis")}},
			{"research", "Research", 15, "Look at what comparable sites do at exactly these places, and at what visitors say", []Criterion{c("comparison", "what others do at these places", "comparable sites")}},
			{"rewrite", "Rewrite", 20, "Write the passages anew, old beside new, with the reason in one line", []Criterion{{ID: "hero_rewrite"}, {ID: "value_prop_rewrite"}, {ID: "cta_rewrite"}}},
		},
		Success: []Criterion{
			c("hero_rewrite", "the first screen, rewritten, old beside new", "hero", "new hero"),
			c("value_prop_rewrite", "the value proposition, rewritten", "value proposition", "new value proposition"),
			c("cta_rewrite", "the call to action, rewritten", "call to action", "new call to action"),
		},
	}
}

func ideaValidation() Definition {
	return Definition{
		ID: "idea-validation", Name: "Idea Validation", Icon: "✓", Description: "Validate ideas against market/audience: GO, NO-GO or PIVOT",
		Every: 10, Most: 50, Research: 8, PerTopic: 2, Needed: 2, Loop: Loop{Similar: 3},
		Phases: []Phase{
			{"understand", "Understand", 10, "Put the idea in one sentence: who has which problem, what they do about it now, why they would change. List what must be true for it to work", []Criterion{c("assumptions", "what must be true, the riskiest first", "riskiest assumptions")}},
			{"research", "Research", 20, "Look for evidence on the riskiest assumptions, for and against. What people did counts; what they said they would do counts little", []Criterion{c("evidence", "what was found, for and against, with its source", "findings")}},
			{"stress-test", "Stress Test", 15, "Argue the strongest case against it. Name the way it most likely dies, and what would show that early", []Criterion{c("failure_modes", "how it most likely fails, and the first sign of it", "failure modes", "risks")}},
			{"verdict", "Verdict", 10, "Decide: GO, NO-GO or PIVOT, in those words, with the reasons and the next steps", []Criterion{{ID: "verdict"}, {ID: "reasoning"}, {ID: "next_steps"}}},
		},
		Success: []Criterion{
			c("verdict", "GO, NO-GO or PIVOT, in one line", "decision"),
			c("reasoning", "the two or three findings that decided it", "reasons"),
			c("next_steps", "what to do within two weeks, and what would change the verdict", "next steps"),
		},
	}
}

func ideation() Definition {
	return Definition{
		ID: "ideation", Name: "Ideation", Icon: "💡", Description: "Generate creative approaches: from what people struggle with to a ranked list",
		Every: 12, Most: 70, Research: 15, PerTopic: 3, Needed: 5, Loop: Loop{Similar: 4},
		Phases: []Phase{
			{"scout", "Scout", 25, "Collect complaints, workarounds and odd habits, each with where it was seen. Judge nothing yet", []Criterion{c("observations", "what was seen, and where", "field notes")}},
			{"pattern", "Pattern", 15, "Group what was seen. A pattern needs three observations; say which do not fit", []Criterion{c("patterns", "the patterns, each with its observations", "themes")}},
			{"ideate", "Ideate", 15, "Answer each pattern with several ideas that differ in kind, not in wording", []Criterion{{ID: "idea_list"}}},
			{"rank", "Rank", 10, "Rank by how much it hurts, how many have it, and how cheaply it can be tried", []Criterion{c("ranking", "the order, and the reason for the first three", "ranked ideas"), {ID: "next_steps"}}},
		},
		Success: []Criterion{
			c("idea_list", "the ideas, each in two sentences: for whom, and what changes for them", "ideas", "idea list"),
			c("evidence", "which observation each of the first three rests on", "observations behind the ideas"),
			c("next_steps", "the cheapest test of each of the first three", "next steps"),
		},
	}
}

func willItWork() Definition {
	return Definition{
		ID: "will-it-work", Name: "Will It Work", Icon: "⚖️", Description: "Stress-test ideas for feasibility: YES, NO or MAYBE-IF, with a confidence",
		Every: 8, Most: 45, Research: 6, PerTopic: 2, Needed: 1, Loop: Loop{Similar: 2},
		Phases: []Phase{
			{"define", "Define", 8, "Say what working means: the measure, the figure, by when. Without that nothing can be answered", []Criterion{c("working_means", "the measure, the figure and the date", "definition", "what working means")}},
			{"evidence", "Evidence", 20, "Collect what bears on it: precedents, base rates, hard limits. Begin with how often such things work", []Criterion{c("base_rate", "how often such things work", "base rates", "precedents")}},
			{"debate", "Debate", 15, "The best case for and the best case against, each answered by the other side", []Criterion{c("both_sides", "the best case for and against, answered", "for and against")}},
			{"verdict", "Verdict", 8, "Answer YES, NO or MAYBE-IF with a confidence in percent; a MAYBE-IF names its condition", []Criterion{{ID: "verdict"}, {ID: "confidence_level"}, {ID: "key_factors"}}},
		},
		Success: []Criterion{
			c("verdict", "YES, NO or MAYBE-IF with its condition, in one line", "answer"),
			c("confidence_level", "a percentage, and what would move it most", "confidence"),
			c("key_factors", "the three things that decide it", "key factors"),
		},
	}
}

func businessPlan() Definition {
	return Definition{
		ID: "business-plan", Name: "Business Plan", Icon: "📊", Description: "Create business plan elements, with figures that can be checked",
		Every: 12, Most: 80, Research: 10, PerTopic: 2, Needed: 3, Loop: Loop{Similar: 3},
		Phases: []Phase{
			{"problem-solution", "Problem and Solution", 15, "Who has which problem, what it costs them now, and what exactly is offered", []Criterion{{ID: "problem_statement"}, {ID: "solution"}}},
			{"market-analysis", "Market Analysis", 20, "Count the buyers from the bottom up; name who serves them now, and at what price", []Criterion{{ID: "market_size"}, c("competition", "who serves them now, and at what price", "competitors")}},
			{"business-model", "Business Model", 15, "Who pays how much for what, how often, and what one customer costs to win and to serve", []Criterion{{ID: "business_model"}}},
			{"gtm-financials", "Go to Market and Financials", 15, "How the first hundred customers are won; three years of figures, each with its assumption", []Criterion{c("go_to_market", "how the first hundred customers are won", "go to market"), {ID: "projections"}}},
			{"synthesis", "Synthesis", 10, "Make one plan of it that contradicts itself nowhere; write the summary last", []Criterion{{ID: "executive_summary"}}},
		},
		Success: []Criterion{
			c("problem_statement", "who has which problem, and what it costs them", "problem"),
			c("solution", "what is offered, and why it is better for them", "the solution"),
			c("market_size", "the number of buyers and what they spend, from the bottom up", "market", "market size"),
			c("business_model", "price, cost to win, cost to serve, margin", "business model"),
			c("projections", "three years of figures with their assumptions", "financial projections", "financials"),
			c("executive_summary", "one page that can be read alone", "summary", "executive summary"),
		},
	}
}

func gtmStrategy() Definition {
	return Definition{
		ID: "gtm-strategy", Name: "GTM Strategy", Icon: "🚀", Description: "Develop go-to-market strategy: whom to reach first, with which words, where, and when",
		Every: 10, Most: 60, Research: 8, PerTopic: 2, Needed: 2, Loop: Loop{Similar: 3},
		Phases: []Phase{
			{"audience", "Audience", 15, "Choose whom to win first: narrow enough to name twenty of them", []Criterion{{ID: "icp"}}},
			{"positioning", "Positioning", 12, "Say what it is, for whom, instead of what, and why they should believe it", []Criterion{{ID: "positioning_statement"}}},
			{"channels", "Channels", 18, "Find where these people already look; choose two channels and say why not the others", []Criterion{{ID: "channel_plan"}}},
			{"tactics", "Tactics", 15, "Lay out the weeks: who does what by when, and the figure that says whether to go on", []Criterion{{ID: "launch_timeline"}}},
		},
		Success: []Criterion{
			c("icp", "the first customers, narrow enough to name twenty", "ideal customer profile", "audience"),
			c("positioning_statement", "what it is, for whom, instead of what, and the proof", "positioning"),
			c("channel_plan", "two channels with cost, owner and first measure", "channels", "channel plan"),
			c("launch_timeline", "week by week, with owners and the figure to watch", "timeline", "launch plan"),
		},
	}
}

func custom() Definition {
	return Definition{
		ID: "custom", Name: "Custom", Icon: "⚙️", Description: "User-defined mode: your own file can take its place; until then any question: discuss, synthesize, conclude",
		Every: 10, Most: 100, Research: 10, PerTopic: 3, Loop: Loop{Similar: 4},
		Phases: []Phase{
			{"discuss", "Discuss", 30, "Open the question up: what is known, what is disputed, what would settle it", nil},
			{"synthesize", "Synthesize", 15, "Bring the threads together: what holds, what was dropped and why", nil},
			{"conclude", "Conclude", 10, "Answer the question, with the reasons and what remains open", nil},
		},
	}
}
