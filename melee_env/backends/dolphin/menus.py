"""From wherever the emulator is to the first frame of a game, with libmelee's menu helper."""

from __future__ import annotations

import melee

from melee_env.backends.base import MatchOptions
from melee_env.ids import Character, Stage

CHARACTERS = {character: melee.Character(character.internal) for character in Character}
STAGES = {
    Stage.BATTLEFIELD: melee.Stage.BATTLEFIELD,
    Stage.FINAL_DESTINATION: melee.Stage.FINAL_DESTINATION,
    Stage.DREAM_LAND: melee.Stage.DREAMLAND,
    Stage.POKEMON_STADIUM: melee.Stage.POKEMON_STADIUM,
    Stage.YOSHIS_STORY: melee.Stage.YOSHIS_STORY,
    Stage.FOUNTAIN_OF_DREAMS: melee.Stage.FOUNTAIN_OF_DREAMS,
}


class MenuWalker:
    """Presses what leads to a game.

    One object per emulator: libmelee's helper remembers whether Frozen Stadium is on.

    Args:
        controllers: libmelee's controllers by port; a person's port has none.
        cpu_level: level of a CPU at port 2, 0 for none.
        code: connect code of the partner, None for a game at this machine.
    """

    def __init__(
        self, controllers: dict[int, melee.Controller], cpu_level: int, code: str | None = None
    ) -> None:
        self._controllers, self._cpu_level, self._code = controllers, cpu_level, code
        self._helper = melee.MenuHelper()

    def press(self, state: melee.GameState, options: MatchOptions) -> None:
        """Answer one frame of a menu."""
        if state.menu_state is melee.Menu.UNKNOWN_MENU:  # the screens behind a game
            for controller in self._controllers.values():
                self._helper.skip_postgame(controller)
            return
        start = state.menu_state is not melee.Menu.CHARACTER_SELECT or self._all_chosen(state, options)
        for port, controller in self._controllers.items():
            self._helper.menu_helper_simple(
                state,
                controller,
                CHARACTERS[options.characters[port - 1]],
                STAGES[options.stage],
                connect_code=self._code,
                costume=options.costumes[port - 1],
                cpu_level=self._cpu_level if port == 2 else 0,
                autostart=port == 1 and start,
            )

    def _all_chosen(self, state: melee.GameState, options: MatchOptions) -> bool:
        """Tell whether START would start the right game; the coins of the last one still lie there."""
        for port in self._controllers:
            player, wanted = state.players[port], options.characters[port - 1]
            shown = Character.ZELDA if wanted is Character.SHEIK else wanted
            if player.character_selected is not CHARACTERS[shown] or not player.coin_down:
                return False
        cpu = state.players[2]
        return not self._cpu_level or (cpu.cpu_level == self._cpu_level and not cpu.is_holding_cpu_slider)


def describe(state: melee.GameState | None) -> str:
    """Say where a walk got stuck, in one line."""
    if state is None:
        return "no menu was ever shown; is libmelee's menu code in GALE01r2.ini, and is the disc NTSC 1.02?"
    slots = ", ".join(
        f"port {port}: {player.controller_status.name} {player.character_selected.name} "
        f"at ({float(player.cursor.x):.0f}, {float(player.cursor.y):.0f}) coin {'down' if player.coin_down else 'up'}"
        for port, player in state.players.items()
        if player.controller_status is not melee.ControllerStatus.CONTROLLER_UNPLUGGED
    )
    return f"at frame {int(state.frame)} of {state.menu_state.name}" + (f" ({slots})" if slots else "")
