#!/usr/bin/env bash
# Runs the configurations of this folder against two nodes, and checks what they promise:
#
#   deploy/proxy/check.sh                   nginx, haproxy and caddy
#   deploy/proxy/check.sh nginx             one of them
#
# Installs a missing program on Debian (as root). Needs bash, curl and openssl.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$(mktemp -d)
pids=()
trap 'kill -9 "${pids[@]}" 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$work"' EXIT

bun=$root/node_modules/.bin/bun
export BUN_RUNTIME_TRANSPILER_CACHE_PATH=0 # no code from a cache in the home directory
passportd=("$bun" --smol --config=/dev/null --tsconfig-override=/dev/null --no-env-file --no-install "$root/src/main.ts")
fail() { echo "FAILED: $*" >&2; [ ! -s "$work/proxy.log" ] || tail -5 "$work/proxy.log" >&2; exit 1; }
free_port() { "$bun" -e 'const s = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } }); console.log(s.port); s.stop()'; }
wait_for() { # URL
  for _ in $(seq 100); do curl -ksf -o "$work/ready" "$1" && return; sleep 0.1; done
  fail "$1 does not respond"
}

start_node() { # NUMBER PORT
  PORT=$2 "${passportd[@]}" serve > "$work/node-$1.log" 2>&1 &
  pids+=($!)
  eval "node_$1=$!"
  wait_for "http://127.0.0.1:$2/ready"
}

install_program() { # NAME
  command -v "$1" > "$work/which" && return
  echo "installing $1"
  apt-get install -qy --no-install-recommends "$1" > "$work/apt.log" 2>&1 || fail "$1 is missing and cannot be installed"
}

# Replaces addresses and paths of the configuration by those of this run.
adapt() { # FILE
  sed -e "s#127.0.0.1:8081#127.0.0.1:$port_1#; s#127.0.0.1:8082#127.0.0.1:$port_2#" \
    -e "s#/etc/passportd/#$work/#g" -e "s#listen 443 #listen 127.0.0.1:$port #" -e "s#bind :443 #bind 127.0.0.1:$port #" \
    -e "s#^passports.example.com:443 {#https://127.0.0.1:$port {#" "$here/$1" > "$work/$1"
}

start_proxy() { # NAME
  case $1 in
    nginx)
      adapt nginx.conf
      nginx -e "$work/nginx-error.log" -p "$work" -c "$work/nginx.conf" \
        -g "daemon off; pid $work/nginx.pid; error_log $work/nginx-error.log;" > "$work/proxy.log" 2>&1 &
      ;;
    haproxy)
      adapt haproxy.cfg
      sed -i 's/http_req_rate(limits) gt 1000/http_req_rate(limits) gt 7/; s/http_req_rate(10s)/http_req_rate(1h)/; s/expire 20s/expire 1h/' "$work/haproxy.cfg"
      haproxy -db -f "$work/haproxy.cfg" > "$work/proxy.log" 2>&1 &
      ;;
    caddy)
      adapt Caddyfile
      sed -i '0,/^{$/s//{\n\tadmin off\n\tauto_https disable_redirects/' "$work/Caddyfile"
      XDG_DATA_HOME=$work XDG_CONFIG_HOME=$work caddy run --adapter caddyfile --config "$work/Caddyfile" > "$work/proxy.log" 2>&1 &
      ;;
  esac
  proxy=$!
  pids+=("$proxy")
  wait_for "https://127.0.0.1:$port/ready"
}

# The status of a request from an address.
status() { curl -ks -o "$work/body" -w '%{http_code}' --interface "$1" "${@:2}" "https://127.0.0.1:$port/api/v1/passports/42"; }

check_address() {
  local count=0
  # Caddy selects nodes at random: with 40 requests, both reach their limit.
  for _ in $(seq 40); do [ "$(status 127.0.0.2)" = 429 ] || count=$((count + 1)); done
  [ $count -le "$1" ] || fail "$count of 40 requests of one address were served, not $1"
  [ "$(status 127.0.0.2 -H 'X-Forwarded-For: 10.9.9.9')" = 429 ] || fail 'a forged X-Forwarded-For was used'
  [ "$(status 127.0.0.3)" = 200 ] || fail 'another address was limited too'
  echo "  client address: 127.0.0.2 got 429 after $count of 40 requests, also with a forged header; 127.0.0.3 got 200"
}

check_compression() {
  local encoding
  encoding=$(curl -ks -o "$work/body" -D - -H "X-API-KEY: $key" -H 'Accept-Encoding: gzip' "https://127.0.0.1:$port/api/v1/passports" |
    tr -d '\r' | sed -n 's/^[Cc]ontent-[Ee]ncoding: //p')
  [ "$encoding" = gzip ] || fail "the response is not compressed by the node: \"$encoding\""
  echo '  compression: gzip, by the node'
}

check_connections() {
  "$bun" "$here/open-connections.ts" "$port" 120 20 || fail 'connections are not limited'
  [ "$(status 127.0.0.4)" = 200 ] || fail 'another address was refused'
  echo '  connections: another address got 200'
}

check_killed_node() {
  local clients=()
  for client in a b c d; do
    curl -ks -H "X-API-KEY: $key" -o "$work/body-$client" -w '%{http_code} %{time_total}\n' \
      "https://127.0.0.1:$port/api/v1/passports?per_page=1&page=[1-500]" > "$work/codes-$client" &
    clients+=($!)
  done
  until [ "$(cat "$work"/codes-* | wc -l)" -ge 400 ]; do sleep 0.01; done
  { kill -9 "$node_1"; wait "$node_1" || true; } 2> "$work/wait.log"
  wait "${clients[@]}"
  sort "$work"/codes-* | cut -d' ' -f1 | uniq -c | sed 's/^ */  killed node: /; s/$/ (responses, status)/'
  echo "  killed node: slowest response $(cat "$work"/codes-* | cut -d' ' -f2 | sort -n | tail -1) s"
  [ "$(cut -d' ' -f1 "$work"/codes-* | grep -vc '^200$' || true)" = 0 ] || fail 'requests failed'
  start_node 1 "$port_1"
}

openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=127.0.0.1 \
  -addext subjectAltName=IP:127.0.0.1 -keyout "$work/tls.key" -out "$work/tls.crt" 2> "$work/openssl.log"
cat "$work/tls.crt" "$work/tls.key" > "$work/tls.pem"
# nginx reads the files before it drops its privileges.
chmod 711 "$work"

export DATABASE_URL=sqlite:$work/check.db TRUST_PROXY=127.0.0.1 TIERS=anonymous=5/1h
port_1=$(free_port)
port_2=$(free_port)
PORT=$port_1 "${passportd[@]}" serve --demo > "$work/demo.log" 2>&1 &
pids+=($!)
demo=$!
wait_for "http://127.0.0.1:$port_1/ready"
kill "$demo"
wait "$demo"
key=$("${passportd[@]}" keys create --name check --tier unlimited 2> "$work/keys.log")

[ $# -gt 0 ] || set -- nginx haproxy caddy
for name in "$@"; do
  install_program "$name"
  port=$(free_port)
  # New nodes: rate limits start again.
  start_node 1 "$port_1"
  start_node 2 "$port_2"
  start_proxy "$name"
  echo "$name $(case $name in haproxy) haproxy -v ;; nginx) nginx -v 2>&1 ;; caddy) caddy version ;; esac | grep -Eo '[0-9]+(\.[0-9]+)+' | head -1)"
  # Each node counts 5. HAProxy counts 7 at both.
  check_address "$([ "$name" = haproxy ] && echo 7 || echo 10)"
  check_compression
  # Caddy leaves this to the firewall.
  [ "$name" = caddy ] || check_connections
  check_killed_node
  for pid in "$proxy" "$node_1" "$node_2"; do { kill "$pid"; wait "$pid" || true; } 2> "$work/wait.log"; done
done
echo 'all checks passed'
