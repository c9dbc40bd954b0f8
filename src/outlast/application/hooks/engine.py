"""The hooks engine (R4.04): asks the rules of a point in a fixed order and merges what they say.

| point | rules, in this order; then the hooks of the user, in the order they were given |
|---|---|
| session_start | existing plan |
| user_prompt | none |
| pre_tool_use | refusal of what has struck out, current task, error history |
| post_tool_use | strikes, forgiveness of strikes, view reminder, write reminder |
| on_error | strikes |
| pre_compact | findings, current task |
| on_stop | completion check |
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from outlast.application.hooks.completion_check import completion_check
from outlast.application.hooks.current_task import current_task
from outlast.application.hooks.error_history import error_history
from outlast.application.hooks.existing_plan import existing_plan
from outlast.application.hooks.learned import learned
from outlast.application.hooks.own_hooks import asked, hook_name
from outlast.application.hooks.scene import Counts, Scene
from outlast.application.hooks.strict_strikes import forgive, refuse_struck
from outlast.application.hooks.strikes import strikes
from outlast.application.hooks.view_reminder import view_reminder
from outlast.application.hooks.write_reminder import write_reminder
from outlast.application.plan.view import view
from outlast.config.settings import Settings
from outlast.ports.hook import HookContext, HookResult, Point, ToolResult
from outlast.system.logs import LOG
from outlast.texts import text, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from outlast.application.hooks.scene import Place, Rule
    from outlast.ports.effects import PlanView
    from outlast.ports.hook import Hook, Json
    from outlast.texts import Language

RULES: Final[dict[Point, tuple[Rule, ...]]] = {
    "session_start": (existing_plan,),
    "user_prompt": (),
    "pre_tool_use": (refuse_struck, current_task, error_history),
    "post_tool_use": (strikes, forgive, view_reminder, write_reminder),
    "on_error": (strikes,),
    "pre_compact": (learned, current_task),
    "on_stop": (completion_check,),
}
_GO_ON: Final = HookResult()


def _nothing(_tool: str) -> bool:
    return False


class HooksEngine:
    """Asks rules and hooks. One that fails never breaks the agent: it is logged, and said once."""

    def __init__(
        self,
        place: Place,
        settings: Settings | None = None,
        hooks: Iterable[Hook] = (),
        *,
        language: Language = "en",
        is_own: Callable[[str], bool] = _nothing,
    ) -> None:
        """Ask about the plan in a place; errors of its own tools are no strikes (`is_own`)."""
        self._place, self._hooks, self._language = place, tuple(hooks), language
        self._settings = Settings() if settings is None else settings
        self._is_own = is_own
        self._counts = Counts()
        self._said: set[str] = set()

    def on_session_start(self) -> HookResult:
        """A session begins."""
        return self.ask(HookContext("session_start"))

    def on_user_prompt(self, prompt: str) -> HookResult:
        """A user has said something."""
        return self.ask(HookContext("user_prompt", prompt=prompt))

    def pre_tool_use(self, tool_name: str, tool_params: Json | None = None) -> HookResult:
        """A tool is going to be run."""
        return self.ask(HookContext("pre_tool_use", tool_name, tool_params or {}))

    def post_tool_use(
        self, tool_name: str, tool_params: Json | None = None, tool_result: ToolResult | None = None
    ) -> HookResult:
        """A tool has run."""
        return self.ask(HookContext("post_tool_use", tool_name, tool_params or {}, tool_result))

    def on_error(
        self, tool_name: str, error: BaseException, tool_params: Json | None = None
    ) -> HookResult:
        """A tool has raised an error; it is not told to `post_tool_use` as well."""
        return self.ask(HookContext("on_error", tool_name, tool_params or {}, error=error))

    def pre_compact(self) -> HookResult:
        """The conversation is going to be cut down."""
        return self.ask(HookContext("pre_compact"))

    def on_stop(self, prompt: str = "") -> HookResult:
        """The agent wants to stop."""
        return self.ask(HookContext("on_stop", prompt=prompt))

    def ask(self, context: HookContext) -> HookResult:
        """Ask all that have a say at this point; nobody where the point is switched off."""
        if context.point == "session_start":
            self._counts.views = 0
        if not getattr(self._settings.hooks, context.point):
            return _GO_ON
        told = replace(context, action_count=self._counts.views)
        scene = self._scene(told)
        said = [self._guarded(rule.__name__, partial(rule, scene)) for rule in RULES[told.point]]
        if self._hooks:
            plan = self._view(scene)
            said += (
                self._guarded(hook_name(hook), partial(asked, hook, told, plan))
                for hook in self._hooks
            )
        return _merged(one for one in said if one is not None)

    def _scene(self, context: HookContext) -> Scene:
        return Scene(
            context,
            self._place,
            settings=self._settings,
            counts=self._counts,
            language=self._language,
            is_own=self._is_own,
        )

    def _view(self, scene: Scene) -> PlanView | None:
        try:
            plan = scene.plan()
            return None if plan is None else plan.read(lambda state: view(state, plan.actor))
        except Exception:
            LOG.exception("the plan cannot be shown to hooks")
            return None

    def _guarded(self, name: str, ask: Callable[[], HookResult | None]) -> HookResult | None:
        try:
            return ask()
        except (Exception, SystemExit) as error:
            if name in self._said:
                LOG.error("the hook %s failed again: %r", name, error)  # noqa: TRY400
                return None
            LOG.exception("the hook %s failed", name)
            self._said.add(name)
            facts = {"name": visible(name), "problem": type(error).__name__}
            return HookResult(notification=text("hook_failed", self._language, **facts))


def _merged(results: Iterable[HookResult]) -> HookResult:
    """Go on if all say so; what is to be told is told in their order."""
    every = tuple(results)
    if not every:
        return _GO_ON
    return HookResult(
        should_continue=all(one.should_continue for one in every),
        inject_context="\n\n".join(one.inject_context for one in every if one.inject_context),
        notification="\n".join(one.notification for one in every if one.notification),
    )
