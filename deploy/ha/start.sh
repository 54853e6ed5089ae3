#!/usr/bin/env bash
# Starts a highly available passportd on this machine: PostgreSQL under Patroni with etcd, two nodes, and HAProxy.
# SIGINT or SIGTERM stops everything, and the next start continues with the same data. See docs/scale.md#high-availability.
#
#   deploy/ha/start.sh FOLDER        data, passwords and logs; created if missing
#
# PORT=8080         the port of HAProxy on 127.0.0.1
# FIRST_PORT=7400   etcd has this port and the next, PostgreSQL behind HAProxy the two after them (the leader, a standby),
#                   member N +10N and +10N+1, node N +100+10N and +100+10N+1 (metrics)
# MEMBERS=2         PostgreSQL servers
# PASSPORTD=...     the command of passportd; by default the one of this repository
#
# Debian: apt-get install patroni etcd-server postgresql haproxy openssl.
# Run it as root, which runs PostgreSQL as the user postgres, or as that user.
set -euo pipefail
set -m # Each process gets its own group, so that Ctrl+C reaches only this script.
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
mkdir -p "${1:?FOLDER is missing, see the first lines of $0}"
folder=$(cd "$1" && pwd)
port=${PORT:-8080} first=${FIRST_PORT:-7400} members=$(seq "${MEMBERS:-2}")
export BUN_RUNTIME_TRANSPILER_CACHE_PATH=0 # no code from a cache in the home directory
read -ra passportd <<< "${PASSPORTD:-$root/node_modules/.bin/bun --smol --config=/dev/null --tsconfig-override=/dev/null --no-env-file --no-install $root/src/main.ts}"
bin=${PG_BIN:-$(printf '%s\n' /usr/lib/postgresql/*/bin | sort -V | tail -1)}
PATH=$PATH:/usr/sbin
as_postgres=()
if [ "$(id -u)" = 0 ]; then
  as_postgres=(setpriv --reuid=postgres --regid=postgres --init-groups env HOME="$folder/db")
  chmod a+x "$folder"
  install -d -o postgres -g postgres "$folder/db"
else
  mkdir -p "$folder/db"
fi

umask 077
[ ! -e "$folder/passwords" ] || [ -O "$folder/passwords" ] ||
  { echo "$folder/passwords belongs to another user: choose another FOLDER." >&2; exit 1; }
# Two runs would start every program twice. The kernel frees the lock when the run ends.
exec 9> "$folder/lock"
flock -n 9 || { echo "$folder is in use by another start.sh: stop it first." >&2; exit 1; }
if [ ! -e "$folder/passwords" ]; then
  for name in PATRONI_{SUPERUSER,REPLICATION,REWIND,RESTAPI} PASSPORTD; do
    echo "${name}_PASSWORD=$(openssl rand -hex 16)"
  done > "$folder/passwords"
fi
etcd=127.0.0.1:$first
sed "s#127.0.0.1:2379#$etcd#; s#127.0.0.1:2380#127.0.0.1:$((first + 1))#; s#/var/lib/etcd/#$folder/db/etcd-#" \
  "$here/etcd.env" > "$folder/etcd.env"
set -a
. "$folder/etcd.env"
. "$folder/passwords"
set +a

services=()
# Starts a program, and starts it again when it ends. NAME.pid has its process id, NAME.log its output.
supervise() { # NAME COMMAND...
  (
    trap 'kill "$child" 2> /dev/null; wait "$child"; exit 0' TERM
    while :; do
      "${@:2}" >> "$folder/$1.log" 2>&1 &
      child=$!
      echo $child > "$folder/$1.pid"
      wait $child || true
      sleep 1
    done
  ) &
  services+=($!)
}

# The nodes first, then HAProxy, PostgreSQL and etcd.
stop() {
  trap '' INT TERM
  local count
  count=$(wc -w <<< "$members")
  for group in "${services[*]:count+2}" "${services[*]:count+1:1}" "${services[*]:1:count}" "${services[*]:0:1}"; do
    # shellcheck disable=SC2086
    kill $group && wait $group || true
  done 2> /dev/null
}
trap stop EXIT
trap 'exit 0' INT TERM

has_standby() { [ "${MEMBERS:-2}" = 1 ] || curl -s "http://$rest/cluster" | grep sync_standby; }

wait_for() { # WHAT COMMAND...
  for _ in $(seq 600); do
    "${@:2}" > "$folder/wait.log" 2>&1 && return
    sleep 0.2
  done
  echo "$1 did not start: see $folder/*.log" >&2
  exit 1
}

# Debian's etcd 3.4 starts on arm64 only with this variable.
supervise etcd "${as_postgres[@]}" env ETCD_UNSUPPORTED_ARCH="$(dpkg --print-architecture)" etcd
wait_for etcd curl -sf "http://$etcd/health"

leader=127.0.0.1:$((first + 2)) standby=127.0.0.1:$((first + 3))
sed "s#127.0.0.1:5000#$leader#; s#127.0.0.1:5001#$standby#" "$here/haproxy.cfg" > "$folder/postgresql.cfg"
cp "$here/patroni.yaml" "$folder/db/patroni.yaml"
chmod a+r "$folder/db/patroni.yaml"
for n in $members; do
  host=127.0.0.1:$((first + 10 * n)) rest=127.0.0.1:$((first + 10 * n + 1))
  sed -i "s#db-$n.internal:5432#$host#; s#\($host .*\) 8008#\1 ${rest#*:}#" "$folder/postgresql.cfg"
  supervise "member-$n" "${as_postgres[@]}" env PATRONI_NAME="member-$n" PATRONI_ETCD_HOSTS="$etcd" \
    PATRONI_RESTAPI_LISTEN="$rest" PATRONI_RESTAPI_CONNECT_ADDRESS="$rest" \
    PATRONI_POSTGRESQL_LISTEN="$host" PATRONI_POSTGRESQL_CONNECT_ADDRESS="$host" PATRONI_POSTGRESQL_BIN_DIR="$bin" \
    PATRONI_POSTGRESQL_DATA_DIR="$folder/db/member-$n" PATRONI_POSTGRESQL_PGPASS="$folder/db/pgpass-$n" \
    patroni "$folder/db/patroni.yaml"
done

sed -i '/internal:5432/d' "$folder/postgresql.cfg" # fewer than three members
cp "$root/deploy/proxy/haproxy.cfg" "$folder/haproxy.cfg"
sed -i "s#bind :443 .*#bind 127.0.0.1:$port#" "$folder/haproxy.cfg" # without TLS
for n in 1 2; do
  sed -i "s#127.0.0.1:808$n#127.0.0.1:$((first + 100 + 10 * n))#" "$folder/haproxy.cfg"
done
supervise haproxy haproxy -db -f "$folder/haproxy.cfg" -f "$folder/postgresql.cfg"

export PGPASSWORD=$PATRONI_SUPERUSER_PASSWORD
database="postgres://postgres@$leader/postgres?target_session_attrs=read-write"
wait_for 'the leader of PostgreSQL' psql "$database" -c 'select 1'
if [ "$(psql "$database" -tAc "select count(*) from pg_database where datname = 'passportd'")" = 0 ]; then
  # Not as arguments: other users can see those.
  psql "$database" -q <<< "create role passportd login password '$PASSPORTD_PASSWORD';
    create database passportd owner passportd"
fi
wait_for 'the standby' has_standby

export DATABASE_URL=postgres://passportd:$PASSPORTD_PASSWORD@$leader/passportd
export DATABASE_READ_URL=postgres://passportd:$PASSPORTD_PASSWORD@$standby/passportd TRUST_PROXY=127.0.0.1
printf 'export DATABASE_URL=%s DATABASE_READ_URL=%s\n' "$DATABASE_URL" "$DATABASE_READ_URL" > "$folder/environment"
for n in 1 2; do
  node=127.0.0.1:$((first + 100 + 10 * n))
  supervise "node-$n" env PORT="${node#*:}" METRICS_PORT=$((first + 101 + 10 * n)) "${passportd[@]}" serve
  wait_for "node $n" curl -sf "http://$node/ready"
done
wait_for HAProxy curl -sf "http://127.0.0.1:$port/ready"
echo "passportd listens on http://127.0.0.1:$port. Ctrl+C stops it. Logs: $folder/*.log"
echo "For commands: . $folder/environment"
wait
