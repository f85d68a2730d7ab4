# The A2A server as AgentCore runs it: port 9000, on ARM64.
#   docker buildx build --platform linux/arm64 -t web-fetch-agent .
#
# The base is an exact version; its maker may still put another image under that name. To pin the very image, ask
# for its digest once and build with it, or write it behind the version below:
#   docker buildx imagetools inspect python:3.11.14-slim-bookworm --format '{{.Manifest.Digest}}'
#   docker buildx build --build-arg BASE=python:3.11.14-slim-bookworm@sha256:… …
ARG BASE=python:3.11.14-slim-bookworm

FROM ${BASE} AS packages
COPY requirements/a2a.lock /a2a.lock
RUN python -m venv /venv \
 && /venv/bin/pip install --no-cache-dir --require-hashes --no-deps --only-binary :all: -r /a2a.lock

FROM ${BASE}
RUN useradd --create-home --uid 10001 agent
COPY --from=packages /venv /venv
WORKDIR /app
COPY fetcher fetcher
# Compiled here: whoever runs it may not write, and a cold start should not compile.
RUN /venv/bin/python -m compileall -q fetcher
USER agent
EXPOSE 9000
# It starts only when it knows who may call: set A2A_API_KEY, or A2A_AUTHENTICATION=sigv4 on AgentCore.
CMD ["/venv/bin/python", "-m", "fetcher", "serve", "--host", "0.0.0.0", "--port", "9000"]
