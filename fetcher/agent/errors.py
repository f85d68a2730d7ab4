"""What can go wrong while a question is answered.

AgentError
├── QuestionRejected     the question itself cannot be answered
├── ToolRefused          a tool did not do what the model asked for
└── ModelFailed          the model gave no whole answer
    ├── ModelUnavailable   overloaded, out of reach or broken off, after retries
    └── ModelRejected      the request or the credentials are wrong; retrying is pointless
"""

from fetcher.codes import AgentCode


class AgentError(Exception):
    """An error with its code, and whether to try again."""

    def __init__(self, code: AgentCode, message: str, *, retryable: bool = False) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.retryable = retryable


class QuestionRejected(AgentError):
    """The question itself cannot be answered."""


class ToolRefused(AgentError):
    """A tool did not do what the model asked for; the model is told why."""


class ModelFailed(AgentError):
    """The model gave no whole answer."""


class ModelUnavailable(ModelFailed):
    def __init__(self, message: str) -> None:
        super().__init__(AgentCode.MODEL_UNAVAILABLE, message, retryable=True)


class ModelRejected(ModelFailed):
    def __init__(self, message: str) -> None:
        super().__init__(AgentCode.MODEL_REJECTED, message)
