#!/bin/sh
[ "$(sh slug.sh 'Hello World')" = hello-world ] || exit 1
[ "$(sh slug.sh '  Ein -- Test (2) ')" = ein-test-2 ] || exit 1
[ "$(sh slug.sh 'x')" = x ]
