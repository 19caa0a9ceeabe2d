package tool

import (
	"bytes"
)

// sniffed is how many bytes of a file tell whether it is text.
const sniffed = 8000

// kinds are the first bytes of files that people keep in projects.
var kinds = []struct {
	at    int
	magic string
	name  string
}{
	{0, "\x89PNG\r\n\x1a\n", "a PNG image"},
	{0, "\xff\xd8\xff", "a JPEG image"},
	{0, "GIF87a", "a GIF image"},
	{0, "GIF89a", "a GIF image"},
	{8, "WEBPVP8", "a WebP image"},
	{0, "\x00\x00\x01\x00", "an icon"},
	{0, "%PDF-", "a PDF document"},
	{0, "PK\x03\x04", "a ZIP archive (or a document or package made as one)"},
	{0, "\x1f\x8b", "gzip-compressed data"},
	{0, "BZh", "bzip2-compressed data"},
	{0, "\xfd7zXZ\x00", "xz-compressed data"},
	{0, "\x28\xb5\x2f\xfd", "zstd-compressed data"},
	{0, "7z\xbc\xaf\x27\x1c", "a 7z archive"},
	{257, "ustar", "a tar archive"},
	{0, "\x7fELF", "an ELF program or library"},
	{0, "\xcf\xfa\xed\xfe", "a Mach-O program or library"},
	{0, "\xca\xfe\xba\xbe", "a Mach-O program or Java class"},
	{0, "\x00asm", "a WebAssembly module"},
	{0, "SQLite format 3\x00", "an SQLite database"},
	{0, "wOFF", "a web font"},
	{0, "wOF2", "a web font"},
	{0, "\x00\x01\x00\x00", "a font"},
	{0, "OggS", "an Ogg recording"},
	{0, "ID3", "an MP3 recording"},
	{4, "ftyp", "an MP4 film or picture"},
	{0, "\xff\xfe", "UTF-16 text; convert it to UTF-8 first"},
	{0, "\xfe\xff", "UTF-16 text; convert it to UTF-8 first"},
}

// kindOf says what a file that begins with head is, or "" for text. A word that
// text may well begin with counts only where the rest is not text either.
func kindOf(head []byte) string {
	binary := bytes.IndexByte(head, 0) >= 0
	for _, k := range kinds {
		if len(head) < k.at || !bytes.HasPrefix(head[k.at:], []byte(k.magic)) {
			continue
		}
		if binary || !plain(k.magic) || k.magic == "%PDF-" {
			return k.name
		}
	}
	if binary && len(head) > 1 && head[0] == 'M' && head[1] == 'Z' {
		return "a Windows program or library"
	}
	if binary {
		return "binary data"
	}
	return ""
}

// plain reports whether all of s could stand in a text.
func plain(s string) bool {
	for _, c := range []byte(s) {
		if c < ' ' || c > '~' {
			return false
		}
	}
	return true
}
