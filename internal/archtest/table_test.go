package archtest

import (
	"slices"
	"strings"
)

// row says what a package is for and which packages its code may import. "." is the
// root, "x/*" every package directly below x, and "*" every package but commands and
// those made for tests. The standard library is free to all (but see
// pure_test.go). A row may stand for a package that is not built yet.
type row struct {
	pkg string
	may []string
	why string
}

// free are packages that all but the root may import, like the standard library: they
// know nothing of what we do.
var free = []string{"internal/lazyregexp", "internal/plural", "internal/atomicfile", "internal/settingtag", "internal/plainfile"}

// reader is what the readers of hosts' files may import.
var reader = []string{".", "host", "transcript", "internal/jsonscan", "transcript/internal/feed", "transcript/internal/db", "host/markup"}

// oneForge is what the packages of the forges may import.
var oneForge = []string{".", "forge", "forge/git", "forge/internal/rest"}

// provider is what the packages of the model providers may import.
var provider = []string{".", "llm", "llm/key", "llm/client", "llm/normalize", "wire", "wire/*"}

// table is the import graph: every arrow points down. An exact row goes
// before a pattern.
var table = []row{
	{".", nil, "the words and the pure engine: what everyone imports imports no one"},

	{"steer", []string{".", "steer/*", "host/todotool"}, "the ordered lineup and its config is the one place that knows all interventions"},
	{"steer/external", []string{"."}, "an intervention speaks only through what it returns; it runs no program"},
	{"evidence", []string{".", "evidence/command", "host", "internal/jsonscan"}, "what an agent changed and ran, as a function of messages"},
	{"evidence/command", nil, "what a command line runs and writes: text alone, for evidence and for the detectors"},
	{"steer/stop", []string{".", "evidence"}, "an intervention speaks only through what it returns; siblings never import each other"},
	{"steer/guard", []string{".", "evidence", "loop"}, "asks the detectors, in every mode; siblings never import each other"},
	{"steer/todo", []string{".", "evidence"}, "an intervention speaks only through what it returns; siblings never import each other"},
	{"steer/automata", []string{"."}, "an intervention speaks only through what it returns; siblings never import each other"},
	{"steer/mute", []string{"."}, "what a person wants to hear nothing of"},
	{"steer/mode", []string{"."}, "an intervention speaks only through what it returns; siblings never import each other"},
	{"steer/frame", []string{"."}, "an intervention speaks only through what it returns; siblings never import each other"},
	{"steer/steertool", []string{"."}, "commands as tools for a model, declared once for every surface; it runs none"},
	{"steer/focus", []string{".", "evidence", "loop", "speech", "steer/mode"}, "the goal controller asks the detectors, and reads modes from the one definition; they share a name in the lineup"},
	{"loop", []string{".", "evidence/command", "internal/jsonscan", "host"}, "detectors are functions of messages, and of the input of calls"},
	{"speech", []string{"."}, "what a speaker says that their words are; it knows no debate"},

	{"improve", []string{".", "evidence", "loop", "host", "host/todotool"}, "reflection reads sessions, detectors and evidence; store and forge come to it as interfaces"},
	{"improve/scan", []string{".", "improve", "export", "host/sessions", "store/sqlite", "transcript", "transcript/all", "transcript/own"}, "finds and reads the sessions of every host, and files nothing"},
	{"improve/read", []string{".", "improve", "improve/agents"}, "has the person's agent read pieces of sessions, and checks what it cites; sessions come as an interface"},
	{"improve/pipeline", []string{".", "improve", "improve/decide", "improve/impact", "forge", "internal/config"}, "from sessions to requests in the queue; sessions, queue and forge come to it as interfaces"},
	{"improve/assembly", []string{".", "improve", "improve/agents", "improve/agents/subprocess", "improve/guidance", "improve/handover", "improve/read", "improve/project", "improve/record", "improve/steps", "improve/worker", "forge/git", "forge/registry", "agent/sandbox", "internal/secret"}, "puts together what the work is done with; it does none of it"},
	{"improve/handover", []string{".", "improve", "improve/steps", "forge/git"}, "what another machine needs to go on: a clone, the papers, the tree; it does no step"},
	{"improve/record", []string{".", "improve"}, "what happens, in files for people and other tools; the queue decides"},
	{"improve/report", []string{".", "improve", "improve/impact", "improve/pipeline", "forge", "improve/steps", "improve/worker", "internal/termsafe"}, "text for people, from values; it decides and opens nothing"},
	{"improve/agents/subprocess", []string{".", "agent/sandbox", "host", "internal/procgroup"}, "a program in a clean environment, a cage and limits; it does not know what it is"},
	{"improve/agents", []string{".", "improve/agents/subprocess", "agent/sandbox", "internal/jsonscan", "internal/termsafe", "forge/git", "host"}, "agents as programs in a cage; it does not know what the work is for"},
	{"improve/project", []string{".", "evidence/command", "improve/agents/subprocess", "agent/sandbox", "internal/termsafe"}, "a project's own commands, and what a change to it measures"},
	{"improve/impact", []string{"improve", "internal/stat"}, "re-judges sessions by the rule that found a trouble, and says how sure the difference is; it reads none"},
	{"improve/guidance", []string{".", "improve", "improve/project", "evidence"}, "replays recorded turns and judges the answers; who asks an agent calls it"},
	{"improve/steps", []string{".", "improve", "improve/agents", "improve/project", "forge", "forge/git", "internal/secret", "internal/termsafe"}, "the thirteen steps, as plain functions"},
	{"improve/steps/stepstest", []string{".", "improve", "improve/agents", "improve/steps", "forge", "forge/git", "forge/local"}, "a small repository and a scripted agent, for tests of the steps"},
	{"improve/decide", []string{".", "improve"}, "what people decide about a request; it works on none"},
	{"improve/worker", []string{".", "improve", "improve/steps", "internal/filelock"}, "makes the steps durable; it does not know what they do"},
	{"deliberate", []string{".", "session", "speech", "steer/focus", "steer/mode", "llm"}, "speakers on one history go through the session service, hold a goal and need a model"},
	{"agent", []string{".", "session", "llm", "agent/tool"}, "the model and tool loop is steered through the session service"},
	{"agent/shell", nil, "takes a command line apart to see what it would run; it runs nothing"},
	{"agent/sandbox", []string{"."}, "a cage for commands, where the system has one; it does not know what runs in it"},
	{"agent/mcp", []string{".", "agent/tool", "llm", "internal/procgroup"}, "tools of other programs, told like our own"},
	{"agent/summary", []string{".", "session", "llm"}, "summaries that a model writes come back through the session service"},
	{"export/flame", nil, "a tree of frames as a picture; it touches no store and no file"},
	{"agent/record", []string{".", "agent/tool"}, "what the calls of a turn did, in files of the data folder"},
	{"agent/snapshot", []string{"agent/tool", "internal/procgroup"}, "what a command changed in files, by a Git repository of its own"},
	{"agent/permission", []string{"agent/tool", "internal/atomicfile"}, "what a person allows beyond a session, in a file of theirs"},
	{"agent/check", []string{".", "internal/atomicfile", "internal/procgroup"}, "asks a working tree and runs one command in it, for every surface on the project's machine"},
	{"agent/toolset", []string{".", "agent", "agent/tool", "agent/mcp", "agent/sandbox", "agent/web", "llm", "steer/mode", "steer/steertool"}, "the tools of our own agent put together, and which of them a mode refuses"},
	{"agent/chat", []string{".", "session", "llm", "llm/demo", "steer/mode", "agent", "agent/attach", "agent/check", "agent/instruct", "agent/mcp", "agent/record", "agent/sandbox", "agent/snapshot", "agent/summary", "agent/tool", "agent/toolset", "agent/usercommand", "agent/web", "export/frames", "export/sessiontext", "internal/atomicfile", "internal/filelock", "internal/termsafe"}, "our own agent in a folder: model, tools, instructions, session; models come to it as an interface, and it draws nothing"},
	{"agent/web", []string{".", "agent/tool", "llm"}, "reads a page of the web; who may be asked for is decided by the person"},
	{"agent/usercommand", []string{".", "internal/termsafe"}, "prompts under a name, from files; it sends nothing"},
	{"agent/attach", []string{".", "llm/normalize"}, "pictures that a prompt names; it knows no model"},
	{"agent/instruct", []string{"internal/termsafe"}, "what a project says to agents; whether it is trusted is decided elsewhere"},
	{"agent/tool", []string{".", "agent/shell", "llm", "internal/procgroup"}, "a tool is told to the model in the words of llm; it does not know who calls it"},
	{"session", []string{"."}, "the session service sees stores and surfaces only as interfaces"},

	{"host", []string{"."}, "what the agents write into messages on their own, for requests and transcripts alike"},
	{"host/markup", []string{".", "host"}, "what the agents write into messages on their own, for requests and transcripts alike"},
	{"host/todotool", []string{".", "host"}, "the todo lists that the agents write, for the engine, which knows no host"},
	{"host/promptfile", []string{"host", "internal/lazyregexp"}, "what a host reads from files by itself, told from what was typed"},
	{"host/launch", []string{"host"}, "an agent as a program that talks to a gateway, for one run; it serves none"},
	{"host/setup", []string{"host", "host/launch"}, "what a person has set up for an agent, read and never written, so that a run leads it nowhere else"},
	{"host/sessions", []string{"host"}, "where the agents keep their session files on a machine; it opens none"},
	{"session/subprocess", []string{".", "steer/external", "internal/procgroup"}, "asks programs for advice and hands it to the session service, which knows it as an interface"},
	{"wire", []string{".", "internal/jsonscan"}, "what the formats share"},
	{"wire/*", []string{".", "wire", "internal/jsonscan", "wire/internal/*", "host/markup"}, "a format knows the words it translates to, and no other format"},
	{"wire/wiretest", []string{".", "wire", "internal/fakemodel", "internal/race"}, "one suite for all formats; what an API refuses is written once, in the fake model, and shares nothing with a format"},
	{"wire/internal/sse", nil, "events of a stream; it knows no format"},
	{"wire/internal/decode", []string{".", "internal/jsonscan"}, "makes the words from spans, where they are asked for"},
	{"wire/internal/draft", []string{".", "wire", "internal/jsonscan", "wire/internal/decode"}, "a reply as it arrives, in any format"},
	{"wire/internal/list", []string{".", "wire", "internal/jsonscan"}, "the machine behind the formats; what differs is a value"},

	{"transcript", []string{".", "internal/jsonscan"}, "what the readers share"},
	{"transcript/all", []string{".", "transcript", "transcript/claude", "transcript/codex", "transcript/opencode", "transcript/gemini", "transcript/qwen", "transcript/goose", "transcript/pi", "transcript/own", "transcript/internal/db", "host"}, "the one place that knows all readers: it finds whose file one is"},
	{"transcript/claude", reader, "a reader knows one host's files, and no other reader"},
	{"transcript/codex", reader, "a reader knows one host's files, and no other reader"},
	{"transcript/opencode", reader, "a reader knows one host's files, and no other reader"},
	{"transcript/gemini", reader, "a reader knows one host's files, and no other reader"},
	{"transcript/qwen", reader, "a reader knows one host's files, and no other reader"},
	{"transcript/goose", reader, "a reader knows one host's files, and no other reader"},
	{"transcript/pi", reader, "a reader knows one host's files, and no other reader"},
	{"transcript/own", reader, "a reader knows one host's files, and no other reader"},
	{"transcript/transcripttest", []string{".", "transcript", "internal/race"}, "one suite for all readers"},
	{"transcript/internal/feed", []string{".", "host", "transcript", "internal/jsonscan", "host/markup"}, "what readers do with what they found: messages in order, pairs, limits"},
	{"transcript/internal/db", []string{"."}, "a host's database, opened to be read and never changed"},
	{"llm", []string{".", "wire", "wire/*"}, "a model is asked in a wire format"},
	{"llm/key", nil, "a secret that cannot be printed; it knows no provider"},
	{"llm/normalize", []string{".", "internal/jsonscan"}, "a history in an order that every API takes; it knows no API"},
	{"llm/price", []string{"."}, "what tokens cost, as data"},
	{"llm/client", []string{".", "llm", "llm/key", "wire"}, "requests, retries and errors that the providers share"},
	{"llm/registry", []string{".", "llm", "llm/key", "llm/client", "llm/price", "llm/demo", "llm/anthropic", "llm/openai", "llm/gemini"}, "the one place that knows all providers: it finds the model that a name means"},
	{"llm/demo", []string{".", "llm"}, "the model that is built in"},
	{"llm/anthropic", provider, "one provider each, behind the interface of llm"},
	{"llm/openai", provider, "one provider each, behind the interface of llm"},
	{"llm/gemini", provider, "one provider each, behind the interface of llm"},

	{"store/row", []string{".", "improve", "internal/jsonscan"}, "rows as every database has them; it speaks no SQL"},
	{"store/feed", []string{"."}, "what changes in a store, in order; it opens none"},
	{"store/sqlite", []string{".", "improve", "store/feed", "store/row"}, "a store keeps sessions and improvements; it decides nothing"},
	{"store/content", []string{"."}, "what of a session's words is stored; it keeps nothing"},
	{"store/owned", []string{".", "store/feed"}, "whose session is whose, over any store; it keeps nothing"},
	{"store/*", []string{".", "improve", "store/feed", "store/row"}, "a store keeps sessions and improvements; it decides nothing"},
	{"forge", []string{"forge/git"}, "issues, branches and pull requests, each once; it does not know what for"},
	{"forge/git", nil, "the git program, without a shell"},
	{"forge/internal/rest", []string{"forge"}, "requests, limits and errors that the forges share"},
	{"forge/forgetest", []string{"forge", "forge/git"}, "one suite for all forges, and strict fakes of their APIs"},
	{"forge/registry", []string{"forge", "forge/git", "forge/local", "forge/github", "forge/gitea", "forge/gitlab"}, "the one place that knows all forges: it finds the one that a project means"},
	{"forge/local", oneForge, "one forge each, behind the interface of forge"},
	{"forge/github", oneForge, "one forge each, behind the interface of forge"},
	{"forge/gitea", oneForge, "one forge each, behind the interface of forge"},
	{"forge/gitlab", oneForge, "one forge each, behind the interface of forge"},

	{"surface/welcome", []string{".", "host", "improve", "replay", "replay/judge", "internal/setting", "internal/termsafe"}, "the first look of trimtab init; it writes nothing"},
	{"surface/tui/fuzzy", nil, "finds paths by a few of their letters"},
	{"surface/tui/page", []string{"internal/termsafe", "host"}, "draws a conversation; it knows no keys and no session"},
	{"surface/tui/debate", []string{".", "deliberate", "internal/termsafe", "surface/tui/page", "surface/tui/edit"}, "draws a debate; it knows no model"},
	{"surface/tui/walk", []string{"replay/judge"}, "hands keys on and shows what it is given"},
	{"surface/tui/edit", []string{"internal/termsafe"}, "the text that is being written; it knows no keys"},
	{"surface/tui", []string{".", "session", "agent", "agent/tool", "agent/usercommand", "deliberate", "export/sessiontext", "surface/tui/*", "internal/config", "internal/termsafe", "internal/jsonscan"}, "thin: draws the chat and the debate"},
	{"surface/headless", []string{".", "agent", "llm", "surface/linechat", "internal/termsafe"}, "one prompt for a script, as text or JSON"},
	{"surface/linechat", []string{".", "agent", "agent/tool", "agent/usercommand", "export/sessiontext", "internal/config", "internal/termsafe"}, "thin: the chat a line at a time"},
	{"surface/gateway", []string{".", "session", "host", "host/markup", "wire", "wire/*", "internal/jsonscan", "surface/admit", "surface/hook/relay", "surface/inside", "surface/travel"}, "thin: applies edits to requests in each format"},
	{"surface/inside", []string{".", "session", "host", "export/sessiontext", "internal/termsafe", "internal/atomicfile", "internal/filelock"}, "commands from inside an agent's screen, put aside until it is known who gave them"},
	{"surface/travel", []string{"."}, "what every way of a note to a model has in common; it knows no request and no host"},
	{"surface/hook/relay", []string{".", "surface/address"}, "what a hook and the gateway of its session say to each other; it steers nothing"},
	{"surface/hook/spool", []string{"internal/jsonscan", "host"}, "what a hook leaves for later, in files: linked into a binary that must start like a hello"},
	{"surface/hook/install", []string{"surface/hook/spool", "host"}, "hosts' own settings as text: ours put in and taken out"},
	{"surface/hook/hookcmd", []string{".", "session", "improve", "steer", "steer/mode", "store/content", "store/owned", "store/sqlite", "transcript", "transcript/codex", "internal/config", "internal/home", "internal/identity", "internal/secret", "internal/termsafe", "internal/setting", "surface/address", "surface/hook", "surface/hook/relay", "surface/hook/spool", "surface/inside", "host", "host/promptfile", "session/subprocess", "steer/external", "agent/check", "agent/sandbox"}, "settings, store and engine for one answer, and nothing that it does not need: a host waits"},
	{"surface/hook", []string{".", "session", "host", "improve", "steer/stop", "surface/address", "surface/hook/spool", "surface/travel", "host/markup"}, "thin: a host's events in, its own answers out"},
	{"surface/mcp", []string{".", "session", "steer/steertool", "host", "surface/address"}, "thin: commands become tools"},
	{"surface/address", nil, "secrets in addresses: who may ask at all; it knows nothing of what is asked"},
	{"surface/admit", []string{"."}, "what a gateway and its guard say to each other; it decides nothing"},
	{"surface/audit", []string{".", "improve", "surface/person"}, "who did what when, in the small files of a store"},
	{"surface/metrics", []string{".", "surface/admit"}, "counts what passes a gateway; it knows none"},
	{"surface/person", []string{".", "store/owned"}, "who asks, in the context of a request; it checks nobody"},
	{"surface/caller", []string{".", "improve", "llm/key", "store/owned", "surface/address", "surface/admit", "surface/person"}, "keys of callers, their limits and the providers' keys they need not have; the gateway is known as an interface"},
	{"surface/signin", []string{".", "improve", "llm/key", "store/owned", "surface/address", "surface/person"}, "people who sign in with their provider; what they may see is decided by those who show it"},
	{"surface/operate", []string{".", "internal/policy", "internal/procgroup", "internal/setting", "llm/key", "internal/termsafe", "store/owned", "surface/address", "surface/audit", "surface/caller", "surface/server"}, "commands for whoever runs a server for others; each is flags around a package"},
	{"surface/server", []string{".", "session", "internal/home", "surface/address"}, "routes, limits and shutdown of the one HTTP server; what stands behind a route comes as an interface"},
	{"surface/agentrun", []string{".", "host", "host/launch", "host/setup", "internal/config", "internal/plural", "internal/termsafe", "surface/address", "surface/hook/install", "surface/server"}, "thin: an agent of the person's and a gateway, started and ended together; the gateway comes as an interface"},
	{"surface/transport", []string{".", "session", "surface/gateway"}, "thin: a client's requests in, steered by the code of the gateway"},
	{"surface/dashboard", []string{".", "deliberate", "export", "export/frames", "replay", "replay/judge", "steer/frame", "steer/mute", "export/sessionhtml", "export/timeline", "improve", "improve/decide", "improve/steps", "surface/address", "surface/dashboard/demo", "surface/improvement", "surface/insight", "surface/person", "surface/server", "store/feed", "store/owned"}, "thin: pages of what steers; it stores nothing"},
	{"surface/insight", []string{".", "export/timeline", "improve"}, "what pages and API tell of many sessions; what they may see comes as an archive"},
	{"surface/improvement", []string{".", "forge/git", "improve"}, "what pages and API show of a request; it decides nothing"},
	{"surface/management", []string{".", "improve", "llm/key", "store/owned", "surface/address", "surface/audit", "surface/dashboard", "surface/person", "surface/signin", "surface/web"}, "pages, API and sign-in of a server, put together"},
	{"surface/dashboard/demo", []string{".", "deliberate", "llm", "session"}, "sample sessions, played through the engine"},
	{"surface/web", []string{".", "deliberate", "replay/judge", "session", "export/timeline", "improve", "improve/decide", "store/feed", "store/owned", "surface/address", "surface/improvement", "surface/insight", "surface/person"}, "thin: shows sessions and the pipeline"},

	{"doctor", []string{"agent/sandbox", "surface/address", ".", "host", "host/launch", "internal/termsafe", "store/*", "surface/hook/install", "surface/hook/spool"}, "checks of an installation, each a function of what it is given; it mends nothing"},
	{"replay", []string{".", "steer", "steer/frame", "transcript", "replay/cache", "export/sessiontext", "internal/termsafe", "host/todotool", "host/markup"}, "another lineup over recorded sessions"},
	{"replay/record", []string{".", "export", "host/sessions", "replay", "transcript", "transcript/all", "transcript/own"}, "recorded sessions of any host, as events"},
	{"replay/judge", []string{".", "host/markup", "loop", "replay", "internal/filelock", "internal/termsafe", "internal/jsonscan"}, "what steering would say, held against what people think of it; sessions come to it as values"},
	{"replay/policy", []string{".", "replay", "internal/config", "steer", "steer/mode"}, "other settings than those at hand, as engines; it reads no file"},
	{"replay/detectors", []string{".", "loop", "internal/config", "internal/termsafe"}, "detectors of loops over recorded sessions, and how often they were right"},
	{"replay/cache", []string{"."}, "prompt caches as the providers keep them, simulated"},
	{"export", []string{".", "export/timeline", "export/sessionhtml", "internal/termsafe"}, "a session as a document; it opens no store and no file"},
	{"export/timeline", []string{".", "internal/jsonscan"}, "a session in the order of what happened, as values"},
	{"export/sessionhtml", []string{".", "export/timeline", "internal/termsafe"}, "a session as markup that runs nothing and asks for nothing"},
	{"export/sessiontext", []string{".", "steer/frame", "internal/termsafe", "internal/jsonscan"}, "a session as text for a terminal; it reads no store"},
	{"export/frames", []string{".", "export/flame", "export/sessiontext", "steer/frame"}, "the frames of a stored session; it asks the engine and stores nothing"},
	{"export/importer", []string{".", "export", "store/sqlite", "transcript", "transcript/all"}, "files of any host, taken into a store"},
	{"trial", []string{"internal/stat"}, "plans runs and says what they show; it runs nothing"},
	{"trial/task", nil, "tasks as folders; it runs none"},
	{"trial/scripted", []string{"internal/fakemodel"}, "a model that fails by a script, served as the providers are; it sees neither task nor arm"},
	{"trial/container", []string{"agent/sandbox", "improve/agents/subprocess"}, "the command line of docker and podman; it knows no task"},
	{"trial/trialcmd", []string{"trial/run"}, "thin: the flags of a trial"},
	{"trial/sample", nil, "tasks that are built in"},
	{"trial/run", []string{".", "agent/sandbox", "evidence", "host", "improve/agents/subprocess", "internal/config", "internal/filelock", "loop", "trial", "trial/container", "trial/sample", "trial/scripted", "trial/task"}, "makes runs with programs in a cage and measures them; stores come to it as an interface"},

	{"trimtabtest", []string{"."}, "session scripts for everyone's tests, so it may depend on no one's code"},
	{"bench", []string{"*"}, "measures any package beside its peers; nothing imports it"},
	{"bench/*", []string{"*", "internal/term", "internal/client", "internal/fakemodel"}, "measures any package beside its peers; nothing imports it"},

	{"internal/config", []string{"."}, "reads config text into the packages' Config types by their tags, without knowing them"},
	{"internal/home", nil, "where a person's things are: linked into a binary that must start like a hello"},
	{"internal/identity", []string{".", "forge/git", "store/owned"}, "who a person is and which project a folder holds, for every program of ours"},
	{"internal/servetest", []string{"*"}, "a gateway with all that stands around it, in tests only"},
	{"internal/policy", []string{"internal/config"}, "settings that a gateway serves, kept and read; where a key is comes as a function"},
	{"internal/setting", []string{"steer/mode", "internal/config", "internal/home", "internal/policy", "internal/trust"}, "files of settings and modes, found and read for every program of ours"},
	{"internal/trust", []string{"internal/filelock"}, "decides by content hash alone whether a folder's config may take effect"},
	{"internal/trust/project", []string{"agent/instruct", "improve", "improve/pipeline", "internal/config", "internal/home", "internal/setting", "internal/trust"}, "what of a project takes effect once it is trusted; how a person is asked comes from outside"},
	{"internal/secret", nil, "secrets in text, found and taken out; it knows nobody who sends"},
	{"internal/secret/secrettest", []string{"internal/secret"}, "made-up secrets, and a search for them in everything"},
	{"internal/stat", nil, "exact tests and intervals, for whoever has counts; it knows none"},
	{"internal/jsonscan", nil, "JSON bytes read where they lie, for requests, transcripts, rows and detectors alike; it knows no format"},
	{"internal/lazyregexp", nil, "patterns that are made when they are needed; it knows none"},
	{"internal/atomicfile", nil, "files whole or not at all, whoever writes them"},
	{"internal/plainfile", nil, "files of other programs: bounded, and never a pipe"},
	{"internal/filelock", nil, "a file for one process at a time, whatever it guards"},
	{"internal/peer", []string{"internal/filelock"}, "which gateways use one file, known by locks beside it; it knows no session"},
	{"internal/teamtest", nil, "agents whose requests go to several gateways, for tests: it knows addresses, not gateways"},
	{"internal/procgroup", nil, "a program ended together with what it started, whoever runs it"},
	{"internal/settingtag", nil, "settings as struct tags declare them; it knows none"},
	{"internal/manual", nil, "the reference of the commands, from the commands"},
	{"internal/version", nil, "which build of Trimtab a program is"},
	{"internal/plural", nil, "how many of a thing, in words"},
	{"internal/termsafe", nil, "text made harmless for a terminal, whoever prints it"},
	{"internal/fakemodel", nil, "the providers' APIs as they are, so it may not borrow our own view of them"},
	{"internal/client", nil, "the real agents, as programs with flags; it knows nothing of us"},
	{"internal/trace", []string{"surface/gateway"}, "spans of the gateway on their way to a collector"},
	{"internal/race", nil, "whether the race detector looks, for tests"},
	{"internal/fakeoidc", nil, "a provider that people sign in with, for tests"},
	{"internal/chrome", nil, "a browser for tests: it knows pages, not ours"},
	{"internal/term", nil, "a terminal for tests: it knows programs, not ours"},
	{"internal/archtest", nil, "reads the others as text"},

	{"cmd/trimtab", []string{"*"}, "flags, config and wiring: the one place where everything meets"},
	{"cmd/trimtab-hook", []string{"internal/home", "surface/hook/spool"}, "as little as it can: the host waits for it at every event"},
}

// forTests are the packages that only tests may import, and packages whose row says so.
var forTests = []string{"trimtabtest", "store/storetest", "forge/forgetest", "wire/wiretest", "transcript/transcripttest", "internal/secret/secrettest", "improve/steps/stepstest", "internal/fakemodel", "internal/client", "internal/term", "internal/chrome", "internal/fakeoidc", "internal/race", "internal/archtest", "bench", "bench/*"}

// dep says where a dependency may be imported. "_test" is any test file.
type dep struct {
	module   string
	packages []string
	why      string
}

// deps is what comes from outside. What is not listed may not be imported.
var deps = []dep{
	{"modernc.org/sqlite", []string{"store/sqlite", "transcript/internal/db", "transcript/transcripttest"}, "SQL stays inside the store"},
	{"github.com/jackc/pgx/v5", []string{"store/postgres", "improve/worker"}, "SQL stays inside the store; the worker takes one lock, while its engine makes its tables"},
	{"github.com/pressly/goose/v3", []string{"store/sqlite", "store/postgres"}, "migrations belong to the store they migrate"},

	{"golang.org/x/time", []string{"surface/caller"}, "requests a minute"},
	{"github.com/coreos/go-oidc/v3", []string{"surface/signin"}, "sign-in by a library made for it"},
	{"golang.org/x/oauth2", []string{"surface/signin"}, "what go-oidc is made for"},
	{"github.com/prometheus/client_golang", []string{"surface/metrics"}, "labels and histograms"},
	{"github.com/prometheus/common", []string{"surface/metrics", "_test"}, "the text format of Prometheus"},
	{"github.com/spf13/pflag", []string{"internal/manual", "_test"}, "the flags of cobra's commands"},
	{"github.com/spf13/cobra", []string{"cmd/trimtab", "surface/operate", "surface/welcome", "trial/trialcmd", "internal/manual"}, "only the command reads flags"},
	{"github.com/mattn/go-isatty", []string{"cmd/trimtab", "surface/tui"}, "a person at a terminal is answered otherwise than a pipe"},
	{"github.com/tailscale/hujson", []string{"internal/config", "internal/policy", "surface/hook/install", "host/setup"}, "config files may have comments, and errors need positions"},
	{"github.com/pelletier/go-toml/v2", []string{"surface/hook/install", "host/setup", "trial/task"}, "a host's settings and a task in TOML are decided from the parsed document"},
	{"github.com/aymanbagabas/go-udiff", []string{"agent/tool", "surface/hook/install"}, "line diffs for people who are asked before something is written"},
	{"github.com/google/jsonschema-go", []string{"_test"}, "tests check what we call a schema"},

	{"github.com/dbos-inc/dbos-transact-golang", []string{"improve/worker"}, "the 13 steps survive a kill"},

	{"charm.land/bubbletea/v2", []string{"surface/tui", "surface/tui/debate", "surface/tui/walk"}, "only the chat, the debate and trimtab judge draw on a terminal"},
	{"github.com/charmbracelet/colorprofile", []string{"surface/tui", "surface/tui/debate"}, "which colours a terminal has"},
	{"github.com/modelcontextprotocol/go-sdk", []string{"surface/mcp", "agent/mcp"}, "one surface offers MCP, one package uses it"},
	{"github.com/landlock-lsm/go-landlock", []string{"agent/sandbox"}, "the kernel's own fence around a command"},
	{"mvdan.cc/sh/v3", []string{"agent/shell", "evidence/command", "_test"}, "command lines are read as a shell reads them"},
	{"github.com/klauspost/compress", []string{"surface/gateway", "internal/fakemodel"}, "request bodies arrive compressed there"},
	{"github.com/zalando/go-keyring", []string{"llm/key"}, "keys may lie in the system's keyring, and nowhere else of ours"},
	{"github.com/clipperhouse/displaywidth", []string{"surface/tui/page"}, "how many columns a character takes"},
	{"github.com/yuin/goldmark", []string{"_test", "export/sessionhtml"}, "Markdown for browsers, without raw HTML; and a second reader for the chat's to agree with"},
	{"github.com/cespare/xxhash/v2", []string{"internal/jsonscan", "loop"}, "what a message says is known again by its hash"},

	{"github.com/chromedp/chromedp", []string{"_test", "internal/chrome"}, "pages are tried in a real browser"},
	{"github.com/chromedp/cdproto", []string{"_test", "internal/chrome"}, "what that browser is told"},
	{"golang.org/x/net", []string{"_test", "agent/web"}, "pages are read as a browser reads them"},
	{"github.com/google/go-cmp", []string{"_test", "store/storetest", "forge/forgetest", "transcript/transcripttest"}, "differences that a person can read; a suite is a test for others to run"},
	{"github.com/rogpeppe/go-internal", []string{"_test"}, "testscript for the command line"},
	{"pgregory.net/rapid", []string{"_test"}, "properties and state machines that shrink"},
	{"github.com/creack/pty", []string{"agent/sandbox", "internal/term", "bench/chat"}, "programs on a real terminal"},
	{"github.com/charmbracelet/x/ansi", []string{"agent/tool", "internal/term", "surface/tui", "surface/tui/debate", "surface/tui/edit", "surface/welcome", "_test"}, "takes what a program writes to a terminal apart"},
}

// covers reports whether a pattern of the table stands for a package.
func covers(pattern, pkg string) bool {
	if above, ok := strings.CutSuffix(pattern, "/*"); ok {
		below, ok := strings.CutPrefix(pkg, above+"/")
		return ok && !strings.Contains(below, "/")
	}
	if pattern == "*" {
		return !command(pkg) && !slices.ContainsFunc(forTests, func(p string) bool { return covers(p, pkg) })
	}
	return pattern == pkg
}

func command(pkg string) bool { return strings.HasPrefix(pkg, "cmd/") }

// find returns the row of a package.
func find(rows []row, pkg string) (row, bool) {
	for _, exact := range []bool{true, false} {
		for _, r := range rows {
			if (r.pkg == pkg) == exact && covers(r.pkg, pkg) {
				return r, true
			}
		}
	}
	return row{}, false
}
