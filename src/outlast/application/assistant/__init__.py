"""The assistant: slash commands, and tasks that the replan loop works on."""
