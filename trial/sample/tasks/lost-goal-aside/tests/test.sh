#!/bin/sh
! grep -rq old_name lib && [ "$(grep -rl new_name lib | sort | tr '\n' ' ')" = "lib/a.sh lib/b.sh lib/c.sh " ] && [ "$(sh lib/c.sh)" = hello ]
