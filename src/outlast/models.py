"""Models: find one by its name, or write your own."""

from outlast.agent.models.choice import ModelAvailability, available_models, find_model
from outlast.context.chat_model import Call, Message, Model, Price, Reply, Role, ToolSpec, Usage

__all__ = [
    "Call",
    "Message",
    "Model",
    "ModelAvailability",
    "Price",
    "Reply",
    "Role",
    "ToolSpec",
    "Usage",
    "available_models",
    "find_model",
]
