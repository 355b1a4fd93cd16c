# The images of Atelier. `platform` runs any set of services, `local-sessions` has beside them what sessions need that run as its
# processes, and `login` is the OpenID provider for trying out (docs/compose.md). `session` is the image of sessions in containers;
# `session-full` has tools for common languages on top of it, and `session-agents` further coding agents (docs/session-containers.md).
#
#     docker build --target platform -t atelier .
#     docker build --target session -t atelier/session .
#
# Packages are fetched, unless a file dependencies.tar has them: `npm run image:dependencies` makes it on a machine that has
# a network, and a base image that has git, ssh, ripgrep and tini needs none for the images of sessions either.

# Name it with its digest for images that can be made again.
ARG BASE=node:24-bookworm-slim

FROM ${BASE} AS platform
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

FROM platform AS local-sessions
USER root
RUN if ! which git ssh rg tini >/dev/null; then \
	apt-get update && apt-get install -y --no-install-recommends git openssh-client ca-certificates ripgrep tini && rm -rf /var/lib/apt/lists/*; \
	fi
USER node
# It reaps the processes that commands of a session leave behind.
ENTRYPOINT ["tini", "--", "node"]
CMD ["agent/main.ts"]

FROM platform AS session-agent
USER root
COPY config/session-image ./config/session-image
RUN node config/session-image/copy-agent.ts /opt/atelier

FROM platform AS login
ENTRYPOINT ["node", "config/compose/trial-login.ts"]
CMD []

# The whole system of a session, which is made smaller at the end (config/session-image/make-system.sh).
FROM ${BASE} AS session-system
USER root
RUN if ! which git ssh rg tini >/dev/null; then \
	apt-get update && apt-get install -y --no-install-recommends git openssh-client ca-certificates ripgrep tini; \
	fi
COPY --from=session-agent /opt/atelier /opt/atelier
COPY config/session-image/make-system.sh config/session-image/load-agent.ts /tmp/
# What Node makes of the program's modules belongs to the user that runs them (config/session-image/load-agent.ts).
RUN mkdir -m 777 /opt/atelier/cache
USER 231001:231001
RUN NODE_COMPILE_CACHE=/opt/atelier/cache node /tmp/load-agent.ts /opt/atelier
USER root
RUN chmod 755 /opt/atelier/cache && sh /tmp/make-system.sh

# One layer, without what was removed.
FROM scratch AS session
COPY --from=session-system / /
ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
WORKDIR /opt/atelier
USER 231001:231001
# It reaps the processes that commands of a session leave behind. The platform starts it by its name.
ENTRYPOINT ["tini", "--", "node"]
CMD ["agent/main.ts"]

# The coding agents beside the built-in one, which AGENTS names. A file agents.tar has them on a machine without a network.
FROM platform AS coding-agents
USER root
ARG AGENTS=""
ADD package.json agents.tar* /opt/installed/
RUN chmod 700 /opt/installed; \
	if [ ! -d /opt/installed/agents ]; then DATA_DIR=/opt/installed node cli/agents.ts install ${AGENTS:?The agents are named by --build-arg AGENTS=}; fi; \
	find /opt/installed ! -type l \( ! -perm -a+r -o -perm /a+x ! -perm -a+x \) -exec chmod a+rX {} +

FROM session AS session-agents
COPY --from=coding-agents /opt/installed/agents /opt/agents

FROM session AS session-full
USER root
RUN if ! which python3 make g++ go >/dev/null; then \
	apt-get update && apt-get install -y --no-install-recommends build-essential golang pkg-config python3 python3-pip python3-venv && rm -rf /var/lib/apt/lists/*; \
	fi
USER 231001:231001
