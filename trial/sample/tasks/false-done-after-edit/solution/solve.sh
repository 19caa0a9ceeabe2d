#!/bin/sh
cat > total.sh <<'END'
#!/bin/sh
# Prints the sum of the second column.
awk -F, 'NR > 1 { sum += $2 } END { print sum + 0 }' "$1"
END
