# The images of Atelier. `platform` runs any set of services, `session` has beside them what sessions need, and `login` is the
# OpenID provider for trying out (docs/compose.md).
#
#     docker build --target platform -t atelier .
#
# Packages are fetched, unless a file dependencies.tar has them: `npm run image:dependencies` makes it on a machine that has
# a network, and a base image that has git, ssh, ripgrep and tini needs none for the session image either.

FROM node:24-bookworm-slim AS platform
WORKDIR /app
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data
# An archive that ADD knows is unpacked, and one that is not there is no error beside files that are.
ADD package.json package-lock.json dependencies.tar* ./
RUN if [ ! -d node_modules ]; then npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund && npm cache clean --force; fi
COPY moleculer.config.ts ./
COPY config ./config
COPY shared ./shared
COPY services ./services
COPY host ./host
COPY agent ./agent
COPY cli ./cli
# The files belong to root, so that the platform cannot change itself.
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 8080 9090
ENTRYPOINT ["node"]
CMD ["host/main.js"]

FROM platform AS session
USER root
RUN if ! which git ssh rg tini >/dev/null; then \
	apt-get update && apt-get install -y --no-install-recommends git openssh-client ca-certificates ripgrep tini && rm -rf /var/lib/apt/lists/*; \
	fi
USER node
# It reaps the processes that commands of a session leave behind.
ENTRYPOINT ["tini", "--", "node"]
CMD ["agent/main.ts"]

FROM platform AS login
ENTRYPOINT ["node", "config/compose/trial-login.ts"]
CMD []
