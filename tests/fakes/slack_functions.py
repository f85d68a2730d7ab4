"""The app's two functions on Lambda, and the queues between them."""

from collections.abc import Mapping
from typing import Any, Self

from tests.fakes.lambda_runtime import PATIENCE, LambdaRuntime
from tests.fakes.lambda_worker import Start, cold
from tests.fakes.sqs import Queues

HANDLER, ANSWER = "slackapp.lambda_handler.handler", "tests.fakes.quick_lambda.answer"


class SlackFunctions:
    """What API Gateway invokes acknowledges; the other function reads the queues. A context manager."""

    def __init__(
        self,
        environ: Mapping[str, str],
        *,
        timeout: float = PATIENCE,
        start: Start = cold,
        handler: str = HANDLER,
        answer: str = ANSWER,
        queues: Queues | None = None,
    ) -> None:
        self.queues = queues or Queues()
        own = {**environ, **self.queues.environ}
        # Under an alias, as where sandboxes are kept ready.
        self.acknowledging = LambdaRuntime(handler, own, name="slack:provisioned", start=start)
        self.answering = LambdaRuntime(answer, own, name="answer", timeout=timeout, start=start)

    def __enter__(self) -> Self:
        self.acknowledging.__enter__()
        self.queues.reader = self.answering.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self.answering.__exit__()
        self.queues.settle()
        self.acknowledging.__exit__()
        self.queues.close()

    def invoke(self, event: Any) -> Any:
        """What API Gateway does; raises FunctionFailed."""
        return self.acknowledging.invoke(event)

    def settle(self, within: float = PATIENCE, *, left: int = 0) -> bool:
        """Whether everything that was handed over, but for some messages, is over within some seconds."""
        return self.queues.settle(within, left=left)

    @property
    def log(self) -> str:
        return self.acknowledging.log + self.answering.log
