package doctor_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab/doctor"
)

// X5: doctor tells of a certificate that has expired, is about to, or cannot be read.
func TestX5_DoctorLooksAtTheCertificate(t *testing.T) {
	now := time.Date(2026, 11, 17, 12, 0, 0, 0, time.UTC)
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	made := func(from, until time.Time) {
		t.Helper()
		private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		plan := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: from, NotAfter: until}
		raw, err := x509.CreateCertificate(rand.Reader, plan, plan, private.Public(), private)
		if err != nil {
			t.Fatal(err)
		}
		secret, err := x509.MarshalPKCS8PrivateKey(private)
		if err != nil {
			t.Fatal(err)
		}
		for file, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: raw}, key: {Type: "PRIVATE KEY", Bytes: secret}} {
			if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	day := 24 * time.Hour
	for _, c := range []struct {
		name        string
		from, until time.Duration
		state       doctor.State
		text        string
	}{
		{"good", -day, 60 * day, doctor.OK, "holds until 2027-01-16"},
		{"soon", -day, 10 * day, doctor.Note, "expires on 2026-11-27"},
		{"expired", -9 * day, -day, doctor.Wrong, "has expired on 2026-11-16"},
		{"not yet", day, 60 * day, doctor.Wrong, "not valid before"},
	} {
		made(now.Add(c.from), now.Add(c.until))
		if got := doctor.Certificate(cert, key, now); len(got) != 1 || got[0].State != c.state || !strings.Contains(got[0].Text, c.text) {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
	if got := doctor.Certificate(cert, cert, now); len(got) != 1 || got[0].State != doctor.Wrong {
		t.Errorf("no key: %+v", got)
	}
	if got := doctor.Certificate("", "", now); got != nil {
		t.Errorf("none is set: %+v", got)
	}
}
