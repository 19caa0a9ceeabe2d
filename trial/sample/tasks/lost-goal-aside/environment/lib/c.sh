. lib/a.sh

if true; then
    old_name
fi
