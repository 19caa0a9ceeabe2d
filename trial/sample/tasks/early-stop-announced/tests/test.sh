#!/bin/sh
[ "$(cat part1.txt)" = "$(printf 'one\nuno')" ] && [ "$(cat part2.txt)" = two ] && [ "$(cat part3.txt)" = "$(printf 'three\ntres')" ] && [ ! -e all.txt ]
