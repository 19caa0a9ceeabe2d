#!/bin/sh
[ "$(tr -d ' \n' < answer.txt | sed 's,^\./,,')" = conf.d/90-limits.conf ]
