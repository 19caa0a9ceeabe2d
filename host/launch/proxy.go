package launch

import (
	"slices"
	"strings"
)

// proxies are the variables by which programs are told of a proxy.
var proxies = []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"}

// NoProxy is a list of hosts that are asked without a proxy, with this machine's own
// names added.
func NoProxy(list string) string {
	var all []string
	for one := range strings.SplitSeq(list, ",") {
		if one = strings.TrimSpace(one); one != "" {
			all = append(all, one)
		}
	}
	for _, name := range []string{"127.0.0.1", "localhost", "::1"} {
		if !slices.Contains(all, name) && !slices.Contains(all, "*") {
			all = append(all, name)
		}
	}
	return strings.Join(all, ",")
}

// direct are the variables that let an agent reach the gateway without the proxy that
// its person has: none where there is no proxy. The gateway itself uses it.
func direct(environ []string) []string {
	values := map[string]string{}
	for _, e := range environ {
		name, value, _ := strings.Cut(e, "=")
		values[name] = value
	}
	if !slices.ContainsFunc(proxies, func(name string) bool { return values[name] != "" }) {
		return nil
	}
	list := NoProxy(values["NO_PROXY"] + "," + values["no_proxy"])
	return []string{"NO_PROXY=" + list, "no_proxy=" + list}
}
