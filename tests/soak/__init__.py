"""A soak: the whole product under a stream of questions and a rain of faults, and then the books.

    python -m tests.soak --minutes 3 --seed 7 --store dynamodb

Two workspaces live in one local Slack, each with an app of its own (one token is one workspace): one over
Socket Mode, one over HTTP. Each app is served by two processes of the real thing, of which one is killed now
and then; the other lives as long as the soak, so that what it remembers shows. The model, the web and the way
to DynamoDB are in a process of their own. Everything that is drawn comes from the seed; what happens at the
same moment in several processes does not, so that a seed brings back the weather and not each raindrop.
"""
