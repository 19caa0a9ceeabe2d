#!/bin/sh
cat > slug.sh <<'END'
#!/bin/sh
printf '%s' "$1" | tr 'A-Z' 'a-z' | tr -cs 'a-z0-9' '-' | sed 's/^-*//; s/-*$//'
END
