#!/bin/sh
[ "$(cat out.txt)" = "$(printf 'head\nbody\nfoot')" ] || exit 1
rm out.txt
sh build.sh && [ -f out.txt ] && grep -q 'Puts the parts together' build.sh
