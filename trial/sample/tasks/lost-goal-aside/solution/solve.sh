#!/bin/sh
for f in lib/*.sh; do sed 's/old_name/new_name/g' "$f" > t && cat t > "$f" && rm t; done
