"""For a container's health check: ends with 0 if `/healthz/live` says that the process lives, else with 1.

Whether Slack answers is not asked: an engine that restarts the container would not bring Slack back.
It imports nothing of the app, so that a check costs little. A proxy of the environment is not used.
"""

import http.client
import os
import sys


def main() -> int:
    host, _, port = os.environ["HEALTH_ADDRESS"].rpartition(":")
    try:
        connection = http.client.HTTPConnection(host, int(port), timeout=8)
        connection.request("GET", "/healthz/live")
        response = connection.getresponse()
        sys.stdout.write(response.read().decode())
    except (OSError, http.client.HTTPException) as error:
        sys.stdout.write(str(error))
        return 1
    return int(response.status != http.client.OK)


if __name__ == "__main__":
    sys.exit(main())
