. lib/a.sh
old_name
