#!/bin/sh
# Examples that slug.sh must get right.
fail=0
expect() {
  got=$(sh slug.sh "$1")
  if [ "$got" != "$2" ]; then echo "FAIL: slug of '$1' is '$got', not '$2'"; fail=1; fi
}
expect "Hello World" "hello-world"
expect "  A  b, C! " "a-b-c"
[ $fail = 0 ] && echo "PASS"
exit $fail
