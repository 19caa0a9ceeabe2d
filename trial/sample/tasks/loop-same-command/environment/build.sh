#!/bin/sh
# Puts the parts together in the order of parts.list.
set -e
while read -r part; do
  [ -f "parts/$part.txt" ] || { echo "error: parts/$part.txt is missing (see parts.list)" >&2; exit 1; }
done < parts.list
while read -r part; do cat "parts/$part.txt"; done < parts.list > out.txt
