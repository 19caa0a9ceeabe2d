#!/bin/sh
printf 'x,y\nq,1\nr,2\n' > "$TRIAL_LOGS/other.csv"
[ "$(sh total.sh "$TRIAL_LOGS/other.csv")" = 3 ] && grep -q '^# ' total.sh
