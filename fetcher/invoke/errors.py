"""Why an invocation has no answer, as its caller is told.

InvocationFailed
├── InvalidRequest   ValidationError   the caller has to change the request
├── AgentNotFound    AgentNotFound     the agent, alias or backend does not exist
├── Throttled        ThrottlingError   too many requests; tried again here
├── TimedOut         TimeoutError      the time is up; the caller may try again, this function does not
├── ServiceFailed    InternalError     the service failed; tried again here
└── Unclassified     UnknownError      everything else, misconfiguration included
"""

from typing import ClassVar


class InvocationFailed(Exception):
    """An invocation without an answer: whose fault it was, and whether to try again."""

    error_type: ClassVar[str]
    status: ClassVar[int]
    """The HTTP status that says the same."""
    retryable: ClassVar[bool] = False
    """Whether the caller may try again."""
    tried_again: ClassVar[bool] = False
    """Whether this function tries again itself, within the invocation."""

    def __init__(
        self, message: str, *, code: str | None = None, detail: str = "", begun: bool = False
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        """AWS's own name for the error, where it has one."""
        self.detail = detail
        """For the log only."""
        self.begun = begun
        """Whether the agent had answered or acted already: then it is not asked again."""


class InvalidRequest(InvocationFailed):
    error_type = "ValidationError"
    status = 400


class AgentNotFound(InvocationFailed):
    error_type = "AgentNotFound"
    status = 404


class Throttled(InvocationFailed):
    error_type = "ThrottlingError"
    status = 429
    retryable = True
    tried_again = True


class TimedOut(InvocationFailed):
    error_type = "TimeoutError"
    status = 504
    retryable = True


class ServiceFailed(InvocationFailed):
    error_type = "InternalError"
    status = 500
    retryable = True
    tried_again = True


class Unclassified(InvocationFailed):
    error_type = "UnknownError"
    status = 500
