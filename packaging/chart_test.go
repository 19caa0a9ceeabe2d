//go:build e2e && unix

package packaging

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	kyaml "sigs.k8s.io/yaml"
)

const helmVersion = "v3.22.0"

func helm(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), fetched(t, "helm.sh/helm/v3/cmd/helm", helmVersion), args...)
	home := t.TempDir()
	cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
	return cmd
}

// objects is what a chart renders to, each read as the API server reads it: a field that
// there is not is an error.
type objects struct {
	deployments []appsv1.Deployment
	workers     []appsv1.StatefulSet
	services    []corev1.Service
	maps        []corev1.ConfigMap
	claims      []corev1.PersistentVolumeClaim
	accounts    []corev1.ServiceAccount
	ingresses   []networkingv1.Ingress
	policies    []networkingv1.NetworkPolicy
	budgets     []policyv1.PodDisruptionBudget
	monitors    []map[string]any // of an API that is no part of Kubernetes
}

func render(t *testing.T, values ...string) objects {
	t.Helper()
	args := []string{"template", "gate", "chart/trimtab"}
	for _, v := range values {
		args = append(args, "--set", v)
	}
	var all objects
	docs := yaml.NewDecoder(strings.NewReader(output(t, helm(t, args...))))
	for {
		var doc map[string]any
		err := docs.Decode(&doc)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		if doc == nil {
			continue
		}
		raw, err := yaml.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		kind, _ := doc["kind"].(string)
		switch kind {
		case "Deployment":
			err = into(raw, &all.deployments)
		case "StatefulSet":
			err = into(raw, &all.workers)
		case "Service":
			err = into(raw, &all.services)
		case "ConfigMap":
			err = into(raw, &all.maps)
		case "PersistentVolumeClaim":
			err = into(raw, &all.claims)
		case "ServiceAccount":
			err = into(raw, &all.accounts)
		case "Ingress":
			err = into(raw, &all.ingresses)
		case "NetworkPolicy":
			err = into(raw, &all.policies)
		case "PodDisruptionBudget":
			err = into(raw, &all.budgets)
		case "ServiceMonitor":
			all.monitors = append(all.monitors, doc)
		default:
			t.Fatalf("an object of kind %q", kind)
		}
		if err != nil {
			t.Fatalf("%s: %v\n%s", kind, err, raw)
		}
	}
}

func into[T any](raw []byte, list *[]T) error {
	var one T
	if err := kyaml.UnmarshalStrict(raw, &one); err != nil {
		return err
	}
	*list = append(*list, one)
	return nil
}

var team = []string{"hosts={gateway.example}", "store.secret=db"}

func TestX9_TheChartIsLinted(t *testing.T) {
	output(t, helm(t, "lint", "--strict", "chart/trimtab", "--set", team[0], "--set", team[1]))
}

func TestX9_TheChartRefusesWrongValues(t *testing.T) {
	for _, c := range []struct {
		name   string
		values []string
		says   string
	}{
		{"no name to be called by", []string{"store.secret=db"}, "/hosts"},
		{"a URL in the place of a name", []string{"hosts={https://gateway.example}", "store.secret=db"}, "/hosts/0"},
		{"two replicas on a file", []string{"hosts={gateway.example}"}, "/store/secret"},
		{"no replica", append(slices.Clone(team), "replicas=0"), "/replicas"},
		{"a number that is a word", append(slices.Clone(team), "replicas=two"), "/replicas"},
		{"a value that there is not", append(slices.Clone(team), "replica=3"), "replica"},
		{"one deeper down", append(slices.Clone(team), "tls.secretName=x"), "secretName"},
		{"a port that is none", append(slices.Clone(team), "service.port=70000"), "/service/port"},
		{"a digest that is none", append(slices.Clone(team), "image.digest=latest"), "/image/digest"},
		{"a worker without an image", append(slices.Clone(team), "worker.enabled=true"), "/worker/image"},
		{"metrics without a token", append(slices.Clone(team), "serviceMonitor.enabled=true"), "/token/secret"},
		{"an address of its own", append(slices.Clone(team), "settings.serve.listen=0.0.0.0:80"), "/settings/serve"},
		{"a password in the open", append(slices.Clone(team), "settings.store.url=postgres://a:b@c/d"), "/settings/store"},
	} {
		t.Run(c.name, func(t *testing.T) {
			args := []string{"template", "gate", "chart/trimtab"}
			for _, v := range c.values {
				args = append(args, "--set", v)
			}
			if said := fails(t, helm(t, args...)); !strings.Contains(said, c.says) {
				t.Errorf("it does not name %q: %s", c.says, said)
			}
		})
	}
}

// What the chart starts is what the program takes, and what it probes is what answers.
func TestX9_TheChartStartsTheRealGateway(t *testing.T) {
	for _, c := range []struct {
		name   string
		values []string
		scheme string
	}{
		{"behind a proxy", append(slices.Clone(team), "settings.gateway.patience=2000", "settings.serve.keep=90", "drain=1"), "http"},
		{"with TLS of its own", append(slices.Clone(team), "tls.secret=cert", "token.secret=token", "drain=0"), "https"},
		{"one replica with a file", []string{"replicas=1", "hosts={gateway.example:8443}", "persistence.enabled=true", "drain=0"}, "http"},
	} {
		t.Run(c.name, func(t *testing.T) {
			all := render(t, c.values...)
			if len(all.deployments) != 1 || len(all.services) != 1 || len(all.maps) != 1 {
				t.Fatalf("%d deployments, %d services, %d maps", len(all.deployments), len(all.services), len(all.maps))
			}
			pod := all.deployments[0].Spec.Template
			box := pod.Spec.Containers[0]
			if len(box.Ports) != 1 || box.Ports[0].Name != c.scheme || box.Ports[0].ContainerPort != 8787 {
				t.Errorf("ports %+v", box.Ports)
			}
			if p := all.services[0].Spec.Ports[0]; p.Name != c.scheme || p.TargetPort.StrVal != c.scheme || p.Port != map[string]int32{"http": 80, "https": 443}[c.scheme] {
				t.Errorf("service %+v", p)
			}
			for name, value := range all.services[0].Spec.Selector {
				if pod.Labels[name] != value || all.deployments[0].Spec.Selector.MatchLabels[name] != value {
					t.Errorf("the service looks for %s=%s, pods have %v", name, value, pod.Labels)
				}
			}
			if s := box.SecurityContext; s == nil || *s.AllowPrivilegeEscalation || !*s.ReadOnlyRootFilesystem || !*pod.Spec.SecurityContext.RunAsNonRoot {
				t.Errorf("security %+v", s)
			}

			// The files that it is given, where it is told to look for them.
			dir := t.TempDir()
			settings := filepath.Join(dir, "serve.json")
			write(t, settings, all.maps[0].Data["serve.json"])
			args := loopback(t, box.Args)
			put(t, args, "--config", settings)
			if c.scheme == "https" {
				cert, key := selfSigned(t, dir)
				put(t, args, "--tls-cert", cert)
				put(t, args, "--tls-key", key)
			}
			s := serve(t, trimtab(t, args...))
			if !strings.HasPrefix(s.url, c.scheme+"://") {
				t.Errorf("it serves %s", s.url)
			}
			probes := []*corev1.Probe{box.StartupProbe, box.LivenessProbe, box.ReadinessProbe}
			for _, p := range probes {
				if p == nil || p.HTTPGet == nil || p.HTTPGet.Port.StrVal != box.Ports[0].Name || strings.ToLower(string(p.HTTPGet.Scheme)) != c.scheme {
					t.Fatalf("probe %+v", p)
				}
				probe(t, s.url+p.HTTPGet.Path)
			}
			s.end(t)
		})
	}
}

func TestX9_TheChartsOtherObjects(t *testing.T) {
	all := render(t, append(slices.Clone(team), "ingress.enabled=true", "ingress.tlsSecret=cert", "token.secret=token", "serviceMonitor.enabled=true",
		"networkPolicy.from[0].namespaceSelector.matchLabels.name=ingress", "worker.enabled=true", "worker.image=registry.example/worker:1")...)
	if len(all.ingresses) != 1 || len(all.monitors) != 1 || len(all.policies) != 1 || len(all.workers) != 1 || len(all.budgets) != 1 || len(all.accounts) != 1 || len(all.claims) != 0 {
		t.Fatalf("%+v", all)
	}
	in := all.ingresses[0].Spec
	if in.Rules[0].Host != "gateway.example" || in.Rules[0].HTTP.Paths[0].Backend.Service.Name != all.services[0].Name || in.Rules[0].HTTP.Paths[0].Backend.Service.Port.Name != all.services[0].Spec.Ports[0].Name {
		t.Errorf("ingress %+v", in)
	}
	worker := all.workers[0].Spec.Template.Spec.Containers[0]
	args := slices.Clone(worker.Args)
	settings := filepath.Join(t.TempDir(), "serve.json")
	write(t, settings, all.maps[0].Data["serve.json"])
	put(t, args, "--config", settings)
	accepted(t, trimtab(t, args...))
	// A worker takes no requests: its pods are none of the service's.
	same := true
	for name, value := range all.services[0].Spec.Selector {
		same = same && all.workers[0].Spec.Template.Labels[name] == value
	}
	if same {
		t.Error("the service would send requests to the worker")
	}
	if len(render(t, "replicas=1", "hosts={a.example}", "persistence.enabled=true").claims) != 1 {
		t.Error("no claim for the file")
	}
}

// The version of the chart is one of the program, and names the image of it.
func TestX9_TheChartNamesTheImageOfItsVersion(t *testing.T) {
	raw, err := os.ReadFile("chart/trimtab/Chart.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var chart struct {
		Version    string `yaml:"version"`
		AppVersion string `yaml:"appVersion"`
	}
	if err := yaml.Unmarshal(raw, &chart); err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`^\d+\.\d+\.\d+$`).MatchString(chart.AppVersion) {
		t.Errorf("version %q", chart.AppVersion)
	}
	p, err := compose(t, "POSTGRES_PASSWORD=x")
	if err != nil {
		t.Fatal(err)
	}
	image := render(t, team...).deployments[0].Spec.Template.Spec.Containers[0].Image
	if got := p.Services["gateway-1"].Image; got != image || !strings.HasSuffix(image, ":"+chart.AppVersion) {
		t.Errorf("the chart of %s starts %s, the compose file %s", chart.AppVersion, image, got)
	}
}

// put gives a flag another value.
func put(t *testing.T, args []string, flag, value string) {
	t.Helper()
	i := slices.Index(args, flag)
	if i < 0 {
		t.Fatalf("%q has no %s", args, flag)
	}
	args[i+1] = value
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// selfSigned is a certificate for a test, by openssl.
func selfSigned(t *testing.T, dir string) (cert, key string) {
	t.Helper()
	cert, key = filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")
	output(t, exec.CommandContext(t.Context(), tool(t, "openssl"), "req", "-new", "-x509", "-days", "2", "-nodes", "-subj", "/CN=localhost", "-out", cert, "-keyout", key))
	return cert, key
}

// probe asks as a kubelet does: by the address, and without a look at the certificate.
func probe(t *testing.T, url string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Host = "10.1.2.3:8787"
	resp, err := unverified.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var b bytes.Buffer
	_, _ = b.ReadFrom(resp.Body)
	if resp.StatusCode != http.StatusOK {
		t.Errorf("%s: %s %s", url, resp.Status, b.String())
	}
}
