#!/bin/sh
[ "$(sed 's/: */:/' owners.txt)" = "$(printf 'a:Ann\nb:Bo\nc:Cy')" ]
