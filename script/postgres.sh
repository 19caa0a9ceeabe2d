#!/bin/sh
# script/postgres.sh: a throwaway PostgreSQL server for tests, on a free port of
# this machine, run by a user who is not root. Its files and its password are made
# for the run and go with it.
#
#   script/postgres.sh run go test ./store/postgres   start, run with TRIMTAB_TEST_POSTGRES set, stop
#   script/postgres.sh start FOLDER                   start in a new folder and print the URL
#   script/postgres.sh again FOLDER                   start once more what was stopped or killed
#   script/postgres.sh stop FOLDER                    stop, and remove the folder
#
# The programs are Debian's postgresql, which root gets by apt-get where they are
# missing. POSTGRES_BIN names another folder that has initdb, pg_ctl and createdb.
set -eu

say() { echo "postgres.sh: $*" >&2; }

# bin is the folder with the server's programs.
bin() {
	if [ -n "${POSTGRES_BIN:-}" ]; then
		echo "$POSTGRES_BIN"
		return
	fi
	found=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
	if [ -z "$found" ] && command -v initdb >/dev/null 2>&1; then
		found=$(dirname "$(command -v initdb)")
	fi
	echo "$found"
}

need() {
	BIN=$(bin)
	if [ -z "$BIN" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
		say "installing Debian's postgresql, once"
		apt-get install -y postgresql >&2
		BIN=$(bin)
	fi
	if [ -z "$BIN" ] || [ ! -x "$BIN/initdb" ]; then
		say "no PostgreSQL server found; install it (apt-get install postgresql), or name its programs' folder in POSTGRES_BIN"
		exit 1
	fi
}

# as runs a program as the user who owns the server: root may not be that one.
as() {
	if [ "$(id -u)" = 0 ]; then
		(cd / && runuser -u "${POSTGRES_USER:-postgres}" -- "$@")
	else
		"$@"
	fi
}

port() { # one that is free, near enough: start tries another where it is not
	od -An -N2 -tu2 /dev/urandom | awk '{ print 20000 + $1 % 40000 }'
}

up() {
	try=0
	while :; do
		port=$(port)
		# The server must not keep our output open, or whoever reads it waits for ever.
		if as "$BIN/pg_ctl" -D "$DIR/data" -l "$DIR/log" -w -t 60 -o "-p $port" start >/dev/null 2>&1 </dev/null; then
			break
		fi
		try=$((try + 1))
		if [ "$try" -ge 5 ]; then
			say "the server does not start:"
			tail -n 20 "$DIR/log" >&2
			exit 1
		fi
		sleep 1 # processes of a killed server may take a moment to go
	done
	echo "$port" >"$DIR/port"
	echo "postgres://trimtab:$(cat "$DIR/password")@127.0.0.1:$port/trimtab"
}

start() {
	need
	mkdir -p "$DIR"
	chmod 700 "$DIR"
	od -An -N16 -tx1 /dev/urandom | tr -d ' \n' >"$DIR/password"
	if [ "$(id -u)" = 0 ]; then
		chown -R "${POSTGRES_USER:-postgres}" "$DIR"
	fi
	as "$BIN/initdb" -D "$DIR/data" -U trimtab -A scram-sha-256 --pwfile="$DIR/password" -E UTF8 --locale=C >"$DIR/initdb.log" 2>&1 || {
		cat "$DIR/initdb.log" >&2
		exit 1
	}
	tls=off
	if command -v openssl >/dev/null 2>&1 && as openssl req -new -x509 -days 2 -nodes -subj /CN=localhost -addext 'subjectAltName=IP:127.0.0.1' \
		-out "$DIR/data/server.crt" -keyout "$DIR/data/server.key" >/dev/null 2>&1; then
		tls=on
	fi
	as tee -a "$DIR/data/postgresql.conf" >/dev/null <<-EOF
		listen_addresses = '127.0.0.1'
		unix_socket_directories = '$DIR'
		max_connections = 100
		ssl = $tls
	EOF
	url=$(up)
	PGPASSWORD=$(cat "$DIR/password") "$BIN/createdb" -h 127.0.0.1 -p "$(cat "$DIR/port")" -U trimtab trimtab
	echo "$url"
}

again() {
	need
	up
}

stop() {
	need
	as "$BIN/pg_ctl" -D "$DIR/data" -m immediate -w stop >/dev/null 2>&1 || true
	rm -rf "${DIR:?}"
}

run() {
	DIR=$(mktemp -d "${TMPDIR:-/tmp}/trimtab-postgres.XXXXXX")
	trap stop EXIT
	trap 'exit 1' INT TERM
	url=$(start)
	TRIMTAB_TEST_POSTGRES=$url "$@"
}

verb=${1:-}
[ $# -gt 0 ] && shift
case $verb in
run) run "$@" ;;
start | again | stop)
	DIR=${1:?name a folder}
	"$verb"
	;;
*)
	sed -n '2,13s/^# \{0,1\}//p' "$0" >&2
	exit 2
	;;
esac
