#!/bin/sh
for f in notes/*.txt; do n=${f##*/}; echo "${n%.txt}:$(sed -n 's/^owner: *//p' "$f")"; done | sort > owners.txt
