"""What is read only while an agent is at work, in Chinese; loaded when it is needed."""

from __future__ import annotations

from typing import Final

from outlast.texts.config_zh import TEXTS as CONFIG
from outlast.texts.hooks_zh import TEXTS as HOOKS
from outlast.texts.loop_zh import TEXTS as LOOP
from outlast.texts.models_zh import TEXTS as MODELS
from outlast.texts.run_zh import TEXTS as RUN
from outlast.texts.tools_zh import TEXTS as TOOLS

TEXTS: Final = {**CONFIG, **HOOKS, **LOOP, **MODELS, **RUN, **TOOLS}
