# passportd as a single executable on a minimal system. The data is in /data.
#
#   docker build -t passportd .
#   docker run -p 8080:8080 -v passportd:/data --read-only --tmpfs /tmp --cap-drop ALL passportd
#   docker run --rm -v passportd:/data --read-only --tmpfs /tmp --cap-drop ALL passportd keys create --name me

# Images by tag, not by digest: each build then has the security updates of the system. For the same bytes every time,
# add the digests that `docker buildx imagetools inspect node:24-slim` and `... debian:12-slim` print.
FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
# The lockfile names this workspace.
COPY packages/client/package.json packages/client/
RUN npm ci --omit=dev
COPY packages/client/src packages/client/src
COPY src src
COPY deploy/executable.ts deploy/executable.ts
RUN npm run -s build && install -d -m 700 volume/data

# This stage runs no program of its base: deploy/container/build.sh uses it without docker, on a base without a shell.
FROM debian:12-slim
COPY --from=build /app/dist/passportd /usr/local/bin/passportd
# A new volume mounted at /data inherits this owner and mode.
COPY --from=build --chown=10001:10001 /app/volume /
USER 10001:10001
# Not /data: Bun would run a bunfig.toml of its working directory, and the service can write to /data.
WORKDIR /
VOLUME /data
ENV HOST=0.0.0.0 PORT=8080 DATABASE_URL=sqlite:/data/passportd.db
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s CMD ["passportd", "doctor", "--health"]
ENTRYPOINT ["passportd"]
CMD ["serve"]
