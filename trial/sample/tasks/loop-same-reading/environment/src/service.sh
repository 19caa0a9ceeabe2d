#!/bin/sh
. ./conf.d/90-limits.conf
echo "$ATTEMPTS_MAX"
