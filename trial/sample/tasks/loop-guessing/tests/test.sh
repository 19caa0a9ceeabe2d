#!/bin/sh
[ "$(sh fizz.sh 30 | sed -n 30p)" = FizzBuzz ] && [ "$(sh fizz.sh 30 | sed -n 10p)" = Buzz ] && [ "$(sh fizz.sh 3 | tail -n 1)" = Fizz ]
