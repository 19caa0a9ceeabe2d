#!/bin/sh
for n in north east south west; do
  [ "$(sh tools/$n.sh)" = $n ] && grep -qx $n.sh tools/README || { echo "$n"; exit 1; }
done
