//go:build e2e && unix

package packaging

import (
	"archive/tar"
	"bytes"
	"crypto/x509"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

// imageIn builds the image of the programs into a folder and returns its archive.
func imageIn(t *testing.T, dir string) string {
	t.Helper()
	output(t, exec.CommandContext(t.Context(), "go", "run", "./image", "-o", dir, "-version", "0.0.0-test", "-time", "1700000000", "linux/"+runtime.GOARCH+"="+programs))
	return filepath.Join(dir, "trimtab_0.0.0-test_linux_"+runtime.GOARCH+".image.tar")
}

var built = struct {
	sync.Once
	archive string
}{}

// image is the image of the programs, built once for all tests.
func image(t *testing.T) (archive string, img v1.Image) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the programs of this system are no Linux programs")
	}
	built.Do(func() { built.archive = imageIn(t, filepath.Join(filepath.Dir(programs), "image")) })
	img, err := tarball.ImageFromPath(built.archive, nil)
	if err != nil {
		t.Fatal(err)
	}
	return built.archive, img
}

// unpack writes the file system of an image to a folder, with its owners where we may.
func unpack(t *testing.T, img v1.Image) string {
	t.Helper()
	root := t.TempDir()
	r := mutate.Extract(img)
	defer r.Close()
	for files := tar.NewReader(r); ; {
		h, err := files.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(root, filepath.Clean("/"+h.Name))
		switch h.Typeflag {
		case tar.TypeDir:
			err = os.MkdirAll(path, 0o755)
		case tar.TypeReg:
			var body []byte
			if body, err = io.ReadAll(files); err == nil {
				err = os.WriteFile(path, body, 0o600)
			}
		default:
			t.Fatalf("%s: a kind of file that nobody put there: %c", h.Name, h.Typeflag)
		}
		if err == nil && os.Getuid() == 0 {
			err = os.Chown(path, h.Uid, h.Gid)
		}
		if err == nil {
			err = os.Chmod(path, h.FileInfo().Mode())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestX9_TheImageIsWhatItSays(t *testing.T) {
	archive, img := image(t)
	if err := validate.Image(img); err != nil {
		t.Error(err)
	}
	index, err := layout.ImageIndexFromPath(filepath.Join(filepath.Dir(archive), "oci"))
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Index(index); err != nil {
		t.Error(err)
	}
	file, err := img.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	c := file.Config
	if c.User != "65532:65532" || !slices.Equal(c.Entrypoint, []string{"/usr/bin/trimtab"}) || !slices.Equal(c.Cmd, []string{"serve"}) || len(c.Volumes) != 1 || file.OS != "linux" || file.Architecture != runtime.GOARCH {
		t.Errorf("configuration %+v of %s/%s", c, file.OS, file.Architecture)
	}
	root := unpack(t, img)
	pem, err := os.ReadFile(filepath.Join(root, "etc/ssl/certs/ca-certificates.crt"))
	if err != nil || !x509.NewCertPool().AppendCertsFromPEM(pem) || bytes.Count(pem, []byte("BEGIN CERTIFICATE")) < 100 {
		t.Errorf("%d bytes of certificates, %v", len(pem), err)
	}

	// Once more, and the bytes are the same.
	one, err := os.ReadFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	two, err := os.ReadFile(imageIn(t, t.TempDir()))
	if err != nil || !bytes.Equal(one, two) {
		t.Errorf("%d bytes, then %d, %v: two builds of the same differ", len(one), len(two), err)
	}
}

func TestX9_TheImageRunsAsARootFileSystem(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root may change the root folder")
	}
	_, img := image(t)
	file, err := img.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	root := unpack(t, img)
	for _, dir := range []string{root, filepath.Dir(root)} { // the user of the image passes through them
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	inside := func(args ...string) *exec.Cmd {
		cmd := exec.CommandContext(t.Context(), file.Config.Entrypoint[0], args...)
		cmd.Env, cmd.Dir = file.Config.Env, file.Config.WorkingDir
		cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: 65532, Gid: 65532, NoSetGroups: true}}
		cmd.Path, cmd.Err = file.Config.Entrypoint[0], nil // there, not here
		return cmd
	}
	if said := output(t, inside("version")); !strings.HasPrefix(said, "trimtab ") {
		t.Errorf("version says %q", said)
	}
	s := serve(t, inside(append(slices.Clone(file.Config.Cmd), "--listen", "127.0.0.1:0")...))
	for _, path := range []string{"/healthz", "/readyz", "/metrics"} {
		get(t, s.url+path, "", 200)
	}
	s.end(t)

	// What it kept is in the volume, and belongs to the user of the image alone.
	for _, name := range []string{"data/trimtab.db", "data/token"} {
		info, err := os.Stat(filepath.Join(root, name))
		if err != nil {
			t.Error(err)
			continue
		}
		if owner := info.Sys().(*syscall.Stat_t).Uid; owner != 65532 || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %s, of user %d", name, info.Mode(), owner)
		}
	}
	if said := fails(t, inside("serve", "--listen", "0.0.0.0:0")); !strings.Contains(said, "--trust-proxy") {
		t.Errorf("in the clear for everyone: %s", said)
	}
}

func TestX9_TheImageRunsInPodman(t *testing.T) {
	podman := tool(t, "podman")
	archive, _ := image(t)
	loaded := output(t, exec.CommandContext(t.Context(), podman, "load", "-i", archive))
	_, name, ok := strings.Cut(strings.TrimSpace(loaded), "Loaded image: ")
	if !ok {
		t.Fatalf("podman load says %q", loaded)
	}
	t.Cleanup(func() { _ = exec.Command(podman, "rmi", "--force", name).Run() }) // the context of the test has ended
	// Where its usual runtime may not do what it wants, as inside another container, the
	// older one with limits that are set may. From 125 on a status is podman's own.
	var refused []string
	for _, run := range [][]string{{"run"}, {"--runtime", "runc", "run", "--ulimit", "nofile=1024:1024", "--ulimit", "nproc=1024:1024"}} {
		run = append(run, "--rm", "--read-only", "--cap-drop", "all", "--network", "host", name)
		said, err := exec.CommandContext(t.Context(), podman, append(slices.Clone(run), "version")...).CombinedOutput()
		var exit *exec.ExitError
		if errors.As(err, &exit) && exit.ExitCode() >= 125 {
			refused = append(refused, string(said))
			continue
		}
		if err != nil {
			t.Fatalf("%v: %s", err, said)
		}
		t.Logf("podman %s: %s", strings.Join(run, " "), said)
		s := serve(t, exec.CommandContext(t.Context(), podman, append(run, "serve", "--listen", "127.0.0.1:0")...))
		get(t, s.url+"/readyz", "", 200)
		s.end(t)
		return
	}
	t.Skipf("podman runs no container here: %s", strings.Join(refused, ""))
}
