#!/bin/sh
for pair in 45s=45 2m5s=125 1h30m=5400 2h=7200 1h1s=3601; do
  [ "$(sh seconds.sh "${pair%=*}")" = "${pair#*=}" ] || { echo "$pair"; exit 1; }
done
