#!/bin/sh
fail=0
for pair in 45s=45 2m=120 1h30m=5400; do
  got=$(sh seconds.sh "${pair%=*}" 2>&1)
  [ "$got" = "${pair#*=}" ] || { echo "FAIL: ${pair%=*} is '$got', not ${pair#*=}"; fail=1; }
done
[ $fail = 0 ] && echo PASS
exit $fail
