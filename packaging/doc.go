// Package packaging is what a release of Trimtab holds beside the programs: the container
// image, a compose file, a Helm chart, units of systemd and a GitHub Action. It is a module of
// its own, so that whoever imports Trimtab does not get what these are built and tested with.
//
// It exports nothing. Its tests (build tag e2e, make packages) build the programs and hold all
// of it to them: an address of a probe is one that answers, a command line one that is taken.
package packaging
