#!/bin/sh
for n in north east south west; do
  printf '#!/bin/sh\necho %s\n' $n > tools/$n.sh
  echo $n.sh >> tools/README
done
