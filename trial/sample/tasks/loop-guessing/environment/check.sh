#!/bin/sh
# Compares line 15 and line 9 of the output.
nine=$(sh fizz.sh 15 | sed -n 9p)
fifteen=$(sh fizz.sh 15 | sed -n 15p)
if [ "$nine" != Fizz ] || [ "$fifteen" != FizzBuzz ]; then
  echo "FAIL: check_fizz: line 15 is '$fifteen', not 'FizzBuzz'"
  exit 1
fi
echo PASS
