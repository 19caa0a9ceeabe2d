// Package trust decides whether what a project brings along may take effect: its
// .trimtab folder, and files beside it that speak to agents. A person trusts what
// they hold, by content hash; when something in the folder changes, comes or
// goes, or a file changes, it is not trusted any more until the person looks
// again. The book of what was trusted is one JSON file in the data folder.
//
// It never runs or interprets what it reads, follows no symbolic link out of or
// inside the folder, opens no device or pipe, and trusts nothing that it cannot
// read whole. Time comes as an argument.
//
//	book, err := trust.Open(filepath.Join(data, "trust.json"))
//	…
//	files, verdict, err := book.Files(project)
//	switch {
//	case err != nil:
//		warn(err) // and go on without the project's files
//	case verdict.State == trust.Trusted:
//		use(files["trimtab.json"])
//	case verdict.State != trust.Absent:
//		warn(verdict.String())
//	}
//
// The files that Files returns are the bytes that were hashed: what is on the
// disk may change meanwhile, so read nothing from it a second time. The same
// holds for File, which judges bytes that the caller has read.
package trust
