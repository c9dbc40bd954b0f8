"""What is read only while an agent is at work, in English; loaded when it is needed."""

from __future__ import annotations

from typing import Final

from outlast.texts.config_en import TEXTS as CONFIG
from outlast.texts.hooks_en import TEXTS as HOOKS
from outlast.texts.loop_en import TEXTS as LOOP
from outlast.texts.models_en import TEXTS as MODELS
from outlast.texts.run_en import TEXTS as RUN
from outlast.texts.tools_en import TEXTS as TOOLS

TEXTS: Final = {**CONFIG, **HOOKS, **LOOP, **MODELS, **RUN, **TOOLS}
