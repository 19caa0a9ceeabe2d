#!/bin/sh
for n in tides winds ports; do
  [ "$(head -n 1 pages/$n.md)" = "# $n" ] && grep -qx 'See index.md.' pages/$n.md && grep -qx -e "- $n" index.md || { echo "$n"; exit 1; }
done
