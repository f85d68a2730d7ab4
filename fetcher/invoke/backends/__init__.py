"""The agents that an invocation can ask: Bedrock Agents, AgentCore, this project's own."""
