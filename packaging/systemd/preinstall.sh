#!/bin/sh
# Before the files: the user that the services run as, who owns the settings' group.
set -e
if ! grep -q '^trimtab:' /etc/passwd 2>/dev/null; then
	if command -v useradd >/dev/null 2>&1; then
		useradd --system --user-group --home-dir /var/lib/trimtab --no-create-home --shell /usr/sbin/nologin --comment Trimtab trimtab
	elif command -v adduser >/dev/null 2>&1; then # of busybox
		addgroup -S trimtab 2>/dev/null || true
		adduser -S -D -H -h /var/lib/trimtab -s /sbin/nologin -G trimtab trimtab
	else
		echo "trimtab: there is no useradd; make a user trimtab before you start its services" >&2
	fi
fi
exit 0
