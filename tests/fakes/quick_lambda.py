"""The app's functions on Lambda with short times, so that a dead worker's question is soon taken over."""

from slackapp import lambda_handler, settings

LEASE = 0.9

settings.ON_LAMBDA.update(
    lease_seconds=LEASE,
    heartbeat_seconds=LEASE / 3,
    clock_skew_seconds=0.1,
    settle_seconds=0.01,
    rate_limit_burst=6000,
)

answer, sweep = lambda_handler.answer, lambda_handler.sweep
