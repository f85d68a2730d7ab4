# The A2A server as AgentCore runs it: port 9000, on ARM64.
#   docker buildx build --platform linux/arm64 -t web-fetch-agent .
FROM python:3.11-slim AS packages
COPY requirements/a2a.lock /a2a.lock
RUN python -m venv /venv \
 && /venv/bin/pip install --no-cache-dir --require-hashes --no-deps --only-binary :all: -r /a2a.lock

FROM python:3.11-slim
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
