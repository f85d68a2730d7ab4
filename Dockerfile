# Two images from one set of stages; docs/deploy.md and docs/a2a.md say how to run them.
#   docker buildx build --target slack -t slack-web-reader .                          the Slack app, over Socket Mode
#   docker buildx build --target a2a --platform linux/arm64 -t slack-web-reader-a2a . the A2A server, as AgentCore runs it
#
# The base is an exact version; its maker may still put another image under that name. To pin the very image, ask
# for its digest once and build with it, or write it behind the version below:
#   docker buildx imagetools inspect python:3.11.14-slim-trixie --format '{{.Manifest.Digest}}'
#   docker buildx build --build-arg BASE=python:3.11.14-slim-trixie@sha256:… …
ARG BASE=python:3.11.14-slim-trixie

# The packages that both need; each hash is checked.
FROM ${BASE} AS packages
COPY requirements/lambda.lock /locks/lambda.lock
RUN python -m venv /venv \
 && /venv/bin/pip install --no-cache-dir --require-hashes --no-deps --only-binary :all: -r /locks/lambda.lock

FROM packages AS a2a-packages
COPY requirements/a2a.lock /locks/a2a.lock
RUN /venv/bin/pip install --no-cache-dir --require-hashes --no-deps --only-binary :all: -r /locks/a2a.lock

# The code that both need, compiled: who runs it may not write, and a start should not compile.
FROM ${BASE} AS code
ENV PATH=/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    MALLOC_ARENA_MAX=2
RUN useradd --no-create-home --uid 10001 agent
WORKDIR /app
COPY fetcher fetcher
RUN python -m compileall -q fetcher

FROM code AS slack
# Debian has only the newest Chromium, so its version cannot be named here. tini collects the processes that an
# ended Chromium leaves behind, and passes signals on.
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install --yes --no-install-recommends chromium-headless-shell tini \
 && rm -rf /var/lib/apt/lists/*
COPY --from=packages /venv /venv
COPY slackapp slackapp
COPY deploy/health_probe.py health_probe.py
# Any user id may run it (`--user`), and it needs no account and no home: the state is in one directory.
RUN python -m compileall -q slackapp \
 && install -d -m 0777 /data
ENV SQLITE_PATH=/data/store.sqlite3 \
    CREDENTIALS_DIRECTORY=/run/secrets \
    HEALTH_ADDRESS=0.0.0.0:8080
VOLUME /data
USER 10001:10001
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s CMD ["python", "health_probe.py"]
ENTRYPOINT ["tini", "--", "python", "-m", "slackapp"]

FROM code AS a2a
COPY --from=a2a-packages /venv /venv
USER 10001:10001
EXPOSE 9000
# It starts only when it knows who may call: set A2A_API_KEY, or A2A_AUTHENTICATION=sigv4 on AgentCore.
CMD ["python", "-m", "fetcher", "serve", "--host", "0.0.0.0", "--port", "9000"]
