#!/bin/sh
# Builds the image localhost/passportd without docker: the last stage of the Dockerfile on a base of 14 MB without a shell.
# Then runs it: the health check passes, data survives a restart, and SIGTERM ends the server with exit code 0.
#
#   npm run build && deploy/container/build.sh [options of podman run, such as --network host]
#
# Needs mmdebstrap and podman.
set -eu
cd "$(dirname "$0")/../.."
image=localhost/passportd
name=passportd-check-$$
context=$(mktemp -d)
trap 'podman rm -f $name >/dev/null 2>&1; podman volume rm -f $name >/dev/null 2>&1; rm -rf "$context"' EXIT

mmdebstrap --quiet --variant=extract --include=base-files,libc6 bookworm "$context/base.tar"
podman import --quiet "$context/base.tar" "$image-base"
rm "$context/base.tar"
install -D dist/passportd "$context/app/dist/passportd"
install -d -m 700 "$context/app/volume/data"
sed -n 's/--from=build //; /^FROM debian/,$p' Dockerfile > "$context/Dockerfile"
# The format "oci" has no health checks.
podman build --quiet --format docker --from "$image-base" --tag "$image" "$context"

check() {
  tries=0
  until podman healthcheck run "$name" >/dev/null 2>&1; do
    tries=$((tries + 1))
    [ $tries -lt 60 ] || { echo 'The health check fails.'; podman logs "$name"; exit 1; }
    sleep 0.5
  done
  echo 'The health check passes.'
}

podman run --detach --name "$name" --read-only --cap-drop ALL --security-opt no-new-privileges \
  --volume "$name:/data" "$@" "$image" >/dev/null
check
podman exec "$name" passportd keys create --name survivor >/dev/null
podman stop --time 15 "$name" >/dev/null
code=$(podman inspect --format '{{.State.ExitCode}}' "$name")
[ "$code" = 0 ] || { echo "SIGTERM ended the server with $code."; exit 1; }
echo 'SIGTERM ended the server with 0.'
podman start "$name" >/dev/null
check
podman exec "$name" passportd keys list | grep survivor
podman images --format '{{.Repository}} {{.Size}}' "$image"
