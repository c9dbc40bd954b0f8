"""Models: find one by its name, or write your own."""

from outlast.ports.model import Call, Message, Model, Price, Reply, Role, ToolSpec, Usage
from outlast.wiring.models import ModelAvailability, available_models, find_model

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
