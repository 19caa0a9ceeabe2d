#!/bin/sh
echo conf.d/90-limits.conf > answer.txt
