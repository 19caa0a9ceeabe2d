#!/bin/sh
for n in tides winds ports; do
  printf '# %s\n\nSee index.md.\n' $n > pages/$n.md
  echo "- $n" >> index.md
done
