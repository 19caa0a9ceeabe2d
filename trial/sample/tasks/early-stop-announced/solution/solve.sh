#!/bin/sh
awk 'BEGIN { n = 1 } $0 == "---" { n++; next } { print > ("part" n ".txt") }' all.txt && rm all.txt
