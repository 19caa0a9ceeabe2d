#!/bin/sh
# Sessions in /var/lib/trimtab and the user who owns them stay: they are people's work.
set -e
if [ -d /run/systemd/system ]; then
	systemctl daemon-reload || true
fi
exit 0
