package setup

import (
	"cmp"
	"fmt"
	"path/filepath"

	"github.com/trimtab/trimtab/host/launch"
)

// gemini finds how Gemini CLI identifies itself, which decides whom it asks.
func gemini(s *Setup, env Env) error {
	if path := nearestEnv(".gemini", env); path != "" {
		vars, err := dotenv(path)
		if err != nil {
			return err
		}
		env = env.withFile(vars)
	}
	settings, err := familySettings(".gemini", "GEMINI_CLI_SYSTEM_SETTINGS_PATH", "gemini-cli", "GeminiCli", env)
	if err != nil {
		return err
	}
	auth := cmp.Or(textAt(settings, "security", "auth", "selectedType"), textAt(settings, "selectedAuthType"))
	switch {
	case auth != "":
	case env.Getenv("GOOGLE_GENAI_USE_GCA") == "true":
		auth = "oauth-personal"
	case env.Getenv("GOOGLE_GENAI_USE_VERTEXAI") == "true":
		auth = "vertex-ai"
	}
	switch auth {
	case "oauth-personal", "cloud-shell", "compute-default-credentials":
		s.HasKey = true
		s.Env["CODE_ASSIST_ENDPOINT"] = "{url}/s/{session}"
		if base := env.Getenv("CODE_ASSIST_ENDPOINT"); base != "" && !env.ours(base) {
			s.Upstreams["codeassist"] = base
		}
	case "vertex-ai":
		s.HasKey = true
		location := env.Getenv("GOOGLE_CLOUD_LOCATION")
		base := env.Getenv("GOOGLE_VERTEX_BASE_URL")
		switch {
		case base != "":
		case env.Getenv("GOOGLE_API_KEY") != "" || location == "" || location == "global":
			base = "https://aiplatform.googleapis.com"
		default:
			base = "https://" + location + "-aiplatform.googleapis.com"
		}
		s.Env["GOOGLE_VERTEX_BASE_URL"] = "{url}/s/{session}" + s.name("vertex", base)
	case "gemini-api-key", "gateway", "":
		s.HasKey = auth != "" // it may keep its key in the system's keyring
		if env.Getenv("GEMINI_API_KEY") != "" {
			s.HasKey = true
		}
		if base := env.Getenv("GOOGLE_GEMINI_BASE_URL"); base != "" && !env.ours(base) {
			s.Upstreams["gemini"] = base
			s.HasKey = true
		}
		if !s.HasKey {
			return fmt.Errorf("gemini talks to its model with GEMINI_API_KEY, which is not set, and has no login; set it, or start gemini once and log in")
		}
	default:
		return fmt.Errorf("gemini is set up to identify itself in a way that is not known here (%s); set security.auth.selectedType to gemini-api-key, oauth-personal or vertex-ai", auth)
	}
	return nil
}

// familySettings are the settings of Gemini CLI and those that descend from it: the
// machine's defaults, the person's, the project's, and what the machine's owner insists on.
func familySettings(own, variable, folder, apple string, env Env) (map[string]any, error) {
	root := env.machine("/etc/"+folder, "/Library/Application Support/"+apple, `C:\ProgramData\`+folder)
	system := cmp.Or(env.Getenv(variable), filepath.Join(root, "settings.json"))
	all := map[string]any{}
	for _, path := range []string{
		filepath.Join(filepath.Dir(system), "system-defaults.json"), filepath.Join(env.Home, own, "settings.json"), filepath.Join(env.Dir, own, "settings.json"), system,
	} {
		doc, err := readJSON(path)
		if err != nil {
			return nil, err
		}
		all = launch.Merge(all, doc)
	}
	return all, nil
}
