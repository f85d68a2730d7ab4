"""AWS credentials as AWS's own tools find them, but for one place.

The environment, profiles and the endpoint that a container's platform names are asked. The metadata service
is not, unless `AWS_EC2_METADATA_DISABLED=false` says so in as many words, as it has to on EC2 and AgentCore.
"""

import os
from typing import Any

METADATA_SERVICE = "iam-role"
"""Botocore's name for the search on the metadata service."""


def botocore_session() -> Any:
    """A session that looks for credentials where it may."""
    from botocore.session import Session  # type: ignore[import-untyped]

    session = Session()
    if os.environ.get("AWS_EC2_METADATA_DISABLED", "").lower() != "false":
        session.get_component("credential_provider").remove(METADATA_SERVICE)
    return session
