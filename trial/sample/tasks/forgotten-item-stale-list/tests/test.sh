#!/bin/sh
[ "$(sh hello.sh Bo)" = "Hello, Bo" ] && grep -q greet lib.sh && ! grep -q Hello hello.sh && [ "$(wc -l < CHANGES)" -ge 2 ]
