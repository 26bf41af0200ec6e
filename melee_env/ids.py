"""Every id of the game, with one owner.

Melee numbers its fighters twice: *internal* ids (frames, the engine, post-frame events) and
*external* ids (character select, the start event of a replay). A :class:`Character` is neither a
number nor comparable with one, so an id of the wrong kind cannot slip through: ask for
``character.internal`` or ``character.external`` and go back with :func:`character_from_internal` or
:func:`character_from_external`. Stages have external ids only.

Numbers: libmelee's and slippi-js' enumerations, checked on recorded games; action-state names:
doldecomp/melee.
"""

from __future__ import annotations

import difflib
import enum
from typing import TypeVar

from melee_env.errors import OptionError

NUM_CHARACTERS = 27
"""Internal ids 0..26 are playable fighters (11 is Nana, Popo's partner)."""


class Character(enum.Enum):
    """A fighter. The value is the internal id; use :attr:`internal` and :attr:`external`."""

    MARIO = 0
    FOX = 1
    CAPTAIN_FALCON = 2
    DONKEY_KONG = 3
    KIRBY = 4
    BOWSER = 5
    LINK = 6
    SHEIK = 7
    NESS = 8
    PEACH = 9
    POPO = 10
    NANA = 11
    PIKACHU = 12
    SAMUS = 13
    YOSHI = 14
    JIGGLYPUFF = 15
    MEWTWO = 16
    LUIGI = 17
    MARTH = 18
    ZELDA = 19
    YOUNG_LINK = 20
    DR_MARIO = 21
    FALCO = 22
    PICHU = 23
    GAME_AND_WATCH = 24
    GANONDORF = 25
    ROY = 26

    @property
    def internal(self) -> int:
        """Id in frames and in the engine."""
        return int(self.value)

    @property
    def external(self) -> int:
        """Id on the character-select screen and in the start event of a replay.

        Raises:
            OptionError: Nana cannot be selected, so she has none.
        """
        if self not in _EXTERNAL:
            raise OptionError("Nana has no external id; use POPO (the Ice Climbers)")
        return _EXTERNAL[self]


_EXTERNAL = {
    Character.MARIO: 8,
    Character.FOX: 2,
    Character.CAPTAIN_FALCON: 0,
    Character.DONKEY_KONG: 1,
    Character.KIRBY: 4,
    Character.BOWSER: 5,
    Character.LINK: 6,
    Character.SHEIK: 19,
    Character.NESS: 11,
    Character.PEACH: 12,
    Character.POPO: 14,
    Character.PIKACHU: 13,
    Character.SAMUS: 16,
    Character.YOSHI: 17,
    Character.JIGGLYPUFF: 15,
    Character.MEWTWO: 10,
    Character.LUIGI: 7,
    Character.MARTH: 9,
    Character.ZELDA: 18,
    Character.YOUNG_LINK: 21,
    Character.DR_MARIO: 22,
    Character.FALCO: 20,
    Character.PICHU: 24,
    Character.GAME_AND_WATCH: 3,
    Character.GANONDORF: 25,
    Character.ROY: 23,
}
_FROM_EXTERNAL = {external: character for character, external in _EXTERNAL.items()}


class Stage(enum.Enum):
    """A tournament stage. The value is the external id, the only kind that frames hold."""

    FOUNTAIN_OF_DREAMS = 2
    POKEMON_STADIUM = 3
    YOSHIS_STORY = 8
    DREAM_LAND = 28
    BATTLEFIELD = 31
    FINAL_DESTINATION = 32

    @property
    def external(self) -> int:
        """Id in frames and in the start event of a replay."""
        return int(self.value)


class Item(enum.IntEnum):
    """Item types that occur as ``items[].type`` in a frame (fighters' articles)."""

    BOB_OMB = 6
    MR_SATURN = 7
    BEAMSWORD = 12
    MARIO_FIREBALL = 48
    DR_MARIO_CAPSULE = 49
    KIRBY_CUTTER = 50
    KIRBY_HAMMER = 51
    FOX_LASER = 54
    FALCO_LASER = 55
    FOX_SHADOW = 56
    FALCO_SHADOW = 57
    LINK_BOMB = 58
    YLINK_BOMB = 59
    LINK_BOOMERANG = 60
    YLINK_BOOMERANG = 61
    LINK_HOOKSHOT = 62
    YLINK_HOOKSHOT = 63
    ARROW = 64
    FIRE_ARROW = 65
    PK_FIRE = 66
    PK_FLASH_1 = 67
    PK_FLASH_2 = 68
    PK_THUNDER_HEAD = 69
    PK_THUNDER_TAIL_1 = 70
    PK_THUNDER_TAIL_2 = 71
    PK_THUNDER_TAIL_3 = 72
    PK_THUNDER_TAIL_4 = 73
    FOX_BLASTER = 74
    FALCO_BLASTER = 75
    LINK_ARROW = 76
    YLINK_ARROW = 77
    PK_FLASH_EXPLOSION = 78
    NEEDLE_THROWN = 79
    NEEDLE = 80
    PIKACHU_THUNDER = 81
    PICHU_THUNDER = 82
    MARIO_CAPE = 83
    DR_MARIO_CAPE = 84
    SHEIK_SMOKE = 85
    YOSHI_EGG_THROWN = 86
    YOSHI_TONGUE = 87
    YOSHI_STAR = 88
    PIKACHU_THUNDERJOLT_1 = 89
    PIKACHU_THUNDERJOLT_2 = 90
    PICHU_THUNDERJOLT_1 = 91
    PICHU_THUNDERJOLT_2 = 92
    SAMUS_BOMB = 93
    SAMUS_CHARGE_BEAM = 94
    SAMUS_MISSLE = 95
    SAMUS_GRAPPLE_BEAM = 96
    SHEIK_CHAIN = 97
    PEACH_BOMBER = 98
    TURNIP = 99
    BOWSER_FLAME = 100
    NESS_BATT = 101
    NESS_YOYO = 102
    PEACH_PARASOL = 103
    PEACH_TOAD = 104
    LUIGI_FIRE = 105
    ICE_BLOCK = 106
    IC_BLIZZARD = 107
    ZELDA_FIRE = 108
    ZELDA_FIRE_EXPLOSION = 109
    MEWTO_DISABLE = 110
    TOAD_SPORE = 111
    SHADOWBALL = 112
    IC_UP_B = 113
    PESTICIDE = 114
    MANHOLE = 115
    GW_FIRE = 116
    PARACHUTE = 117
    TURTLE = 118
    SPERKY = 119
    JUDGE = 120
    SAUSAGE = 122
    YLINK_MILK = 123
    FIREFIGHTER = 124
    KIRBY_MARIO_FIRE = 130
    KIRBY_DR_MARIO_FIRE = 131
    KIRBY_LUIGI_FIRE = 132
    KIRBY_IC_BLOCK = 133
    KIRBY_TOAD_SPORE = 135
    KIRBY_FOX_LASER = 136
    KIRBY_FALCO_LASER = 137
    KIRBY_LINK_ARROW = 140
    KIRBY_YLINK_ARROW = 141
    KIRBY_LINK_ARROW_2 = 142
    KIRBY_YLINK_ARROW_2 = 143
    KIRBY_SHADOWBALL = 144
    KIRBY_PK_FLASH = 145
    KIRBY_PK_FLASH_EXPLOSION = 146
    KIRBY_PIKACHU_THUNDERJOLT_1 = 147
    KIRBY_PIKACHU_THUNDERJOLT_2 = 148
    KIRBY_PICHU_THUNDERJOLT_1 = 149
    KIRBY_PICHU_THUNDERJOLT_2 = 150
    KIRBY_SAMUS_CHARGESHOT = 151
    KIRBY_SHEIK_NEEDLE_THROWN = 152
    KIRBY_SHEIK_NEEDLE_GROUND = 153
    KIRBY_BOWSER_FLAME = 154
    KIRBY_SAUSAGE = 155
    KIRBY_YOSHI_TONGUE = 157
    SHY_GUY = 210
    UNKNOWN_PROJECTILE = 255


_ACTION_NAMES = """
DeadDown DeadLeft DeadRight DeadUp DeadUpStar DeadUpStarIce DeadUpFall DeadUpFallHitCamera
DeadUpFallHitCameraFlat DeadUpFallIce DeadUpFallHitCameraIce Sleep Rebirth RebirthWait Wait WalkSlow
WalkMiddle WalkFast Turn TurnRun Dash Run RunDirect RunBrake KneeBend JumpF JumpB JumpAerialF
JumpAerialB Fall FallF FallB FallAerial FallAerialF FallAerialB FallSpecial FallSpecialF
FallSpecialB DamageFall Squat SquatWait SquatRv Landing LandingFallSpecial Attack11 Attack12
Attack13 Attack100Start Attack100Loop Attack100End AttackDash AttackS3Hi AttackS3HiS AttackS3S
AttackS3LwS AttackS3Lw AttackHi3 AttackLw3 AttackS4Hi AttackS4HiS AttackS4S AttackS4LwS AttackS4Lw
AttackHi4 AttackLw4 AttackAirN AttackAirF AttackAirB AttackAirHi AttackAirLw LandingAirN LandingAirF
LandingAirB LandingAirHi LandingAirLw DamageHi1 DamageHi2 DamageHi3 DamageN1 DamageN2 DamageN3
DamageLw1 DamageLw2 DamageLw3 DamageAir1 DamageAir2 DamageAir3 DamageFlyHi DamageFlyN DamageFlyLw
DamageFlyTop DamageFlyRoll LightGet HeavyGet LightThrowF LightThrowB LightThrowHi LightThrowLw
LightThrowDash LightThrowDrop LightThrowAirF LightThrowAirB LightThrowAirHi LightThrowAirLw
HeavyThrowF HeavyThrowB HeavyThrowHi HeavyThrowLw LightThrowF4 LightThrowB4 LightThrowHi4
LightThrowLw4 LightThrowAirF4 LightThrowAirB4 LightThrowAirHi4 LightThrowAirLw4 HeavyThrowF4
HeavyThrowB4 HeavyThrowHi4 HeavyThrowLw4 SwordSwing1 SwordSwing3 SwordSwing4 SwordSwingDash
BatSwing1 BatSwing3 BatSwing4 BatSwingDash ParasolSwing1 ParasolSwing3 ParasolSwing4
ParasolSwingDash HarisenSwing1 HarisenSwing3 HarisenSwing4 HarisenSwingDash StarRodSwing1
StarRodSwing3 StarRodSwing4 StarRodSwingDash LipstickSwing1 LipstickSwing3 LipstickSwing4
LipstickSwingDash ItemParasolOpen ItemParasolFall ItemParasolFallSpecial ItemParasolDamageFall
LGunShoot LGunShootAir LGunShootEmpty LGunShootAirEmpty FireFlowerShoot FireFlowerShootAir ItemScrew
ItemScrewAir DamageScrew DamageScrewAir ItemScopeStart ItemScopeRapid ItemScopeFire ItemScopeEnd
ItemScopeAirStart ItemScopeAirRapid ItemScopeAirFire ItemScopeAirEnd ItemScopeStartEmpty
ItemScopeRapidEmpty ItemScopeFireEmpty ItemScopeEndEmpty ItemScopeAirStartEmpty
ItemScopeAirRapidEmpty ItemScopeAirFireEmpty ItemScopeAirEndEmpty LiftWait LiftWalk1 LiftWalk2
LiftTurn GuardOn Guard GuardOff GuardSetOff GuardReflect DownBoundU DownWaitU DownDamageU DownStandU
DownAttackU DownFowardU DownBackU DownSpotU DownBoundD DownWaitD DownDamageD DownStandD DownAttackD
DownFowardD DownBackD DownSpotD Passive PassiveStandF PassiveStandB PassiveWall PassiveWallJump
PassiveCeil ShieldBreakFly ShieldBreakFall ShieldBreakDownU ShieldBreakDownD ShieldBreakStandU
ShieldBreakStandD Furafura Catch CatchPull CatchDash CatchDashPull CatchWait CatchAttack CatchCut
ThrowF ThrowB ThrowHi ThrowLw CapturePulledHi CaptureWaitHi CaptureDamageHi CapturePulledLw
CaptureWaitLw CaptureDamageLw CaptureCut CaptureJump CaptureNeck CaptureFoot EscapeF EscapeB EscapeN
EscapeAir ReboundStop Rebound ThrownF ThrownB ThrownHi ThrownLw ThrownlwWomen Pass Ottotto
OttottoWait FlyReflectWall FlyReflectCeil StopWall StopCeil MissFoot CliffCatch CliffWait
CliffClimbSlow CliffClimbQuick CliffAttackSlow CliffAttackQuick CliffEscapeSlow CliffEscapeQuick
CliffJumpSlow1 CliffJumpSlow2 CliffJumpQuick1 CliffJumpQuick2 AppealSR AppealSL ShoulderedWait
ShoulderedWalkSlow ShoulderedWalkMiddle ShoulderedWalkFast ShoulderedTurn ThrownFF ThrownFB
ThrownFHi ThrownFLw CaptureCaptain CaptureYoshi YoshiEgg CaptureKoopa CaptureDamageKoopa
CaptureWaitKoopa ThrownKoopaF ThrownKoopaB CaptureKoopaAir CaptureDamageKoopaAir CaptureWaitKoopaAir
ThrownKoopaAirF ThrownKoopaAirB CaptureKirby CaptureWaitKirby ThrownKirbyStar ThrownCopyStar
ThrownKirby BarrelWait Bury BuryWait BuryJump DamageSong DamageSongWait DamageSongRv DamageBind
CaptureMewtwo CaptureMewtwoAir ThrownMewtwo ThrownMewtwoAir WarpStarJump WarpStarFall HammerWait
HammerWalk HammerTurn HammerKneeBend HammerFall HammerJump HammerLanding KinokoGiantStart
KinokoGiantStartAir KinokoGiantEnd KinokoGiantEndAir KinokoSmallStart KinokoSmallStartAir
KinokoSmallEnd KinokoSmallEndAir Entry EntryStart EntryEnd DamageIce DamageIceJump CaptureMasterHand
CaptureDamageMasterHand CaptureWaitMasterHand ThrownMasterHand CaptureKirbyYoshi KirbyYoshiEgg
CaptureLeadead CaptureLikelike DownReflect CaptureCrazyHand CaptureDamageCrazyHand
CaptureWaitCrazyHand ThrownCrazyHand Barrel
"""

Action = enum.IntEnum(  # type: ignore[misc]
    "Action", [(name, index) for index, name in enumerate(_ACTION_NAMES.split())]
)
"""The 341 action states that all fighters share; ids from 341 on are the fighter's own."""

NUM_ACTIONS = 399
"""Upper bound (exclusive) of action-state ids over all fighters (KIRBY_STONE_UNFORMING is 397)."""

EnumType = TypeVar("EnumType", Character, Stage)


def character_from_internal(internal: int) -> Character:
    """Return the fighter of an internal id.

    Raises:
        OptionError: no fighter has this id.
    """
    try:
        return Character(int(internal))
    except ValueError:
        raise OptionError(f"no character has the internal id {internal} (0..26)") from None


def character_from_external(external: int) -> Character:
    """Return the fighter of an external id.

    Raises:
        OptionError: no fighter has this id.
    """
    try:
        return _FROM_EXTERNAL[int(external)]
    except KeyError:
        raise OptionError(f"no character has the external id {external} (0..25)") from None


def stage_from_external(external: int) -> Stage:
    """Return the stage of an external id.

    Raises:
        OptionError: not one of the six tournament stages.
    """
    try:
        return Stage(int(external))
    except ValueError:
        known = ", ".join(f"{s.value} {s.name}" for s in Stage)
        raise OptionError(f"stage {external} is not one of the six tournament stages ({known})") from None


def parse(kind: type[EnumType], value: object) -> EnumType:
    """Return the member that ``value`` names; members pass through, bare numbers are refused.

    Args:
        kind: ``Character`` or ``Stage``.
        value: a member or its name in any case, with spaces, dashes or underscores.

    Raises:
        OptionError: names the nearest alternatives; a number is refused, since it does not say
            whether it is internal or external.
    """
    label = kind.__name__.lower()
    if isinstance(value, kind):
        return value
    if not isinstance(value, str):
        raise OptionError(f"{label} must be a name or a {kind.__name__}, not {value!r}")
    key = value.strip().upper().replace(" ", "_").replace("-", "_").replace("'", "")
    key = _ALIASES.get(key, key)
    if key in kind.__members__:
        return kind[key]
    names = list(kind.__members__)
    near = difflib.get_close_matches(key, names, n=3)
    hint = f"did you mean {', '.join(near)}?" if near else f"known: {', '.join(names)}"
    raise OptionError(f"unknown {label} {value!r}; {hint}")


_ALIASES = {
    "FALCON": "CAPTAIN_FALCON",
    "CPTFALCON": "CAPTAIN_FALCON",
    "DK": "DONKEY_KONG",
    "GANON": "GANONDORF",
    "GNW": "GAME_AND_WATCH",
    "GAMEANDWATCH": "GAME_AND_WATCH",
    "DOC": "DR_MARIO",
    "DRMARIO": "DR_MARIO",
    "YLINK": "YOUNG_LINK",
    "ICE_CLIMBERS": "POPO",
    "PUFF": "JIGGLYPUFF",
    "FD": "FINAL_DESTINATION",
    "BF": "BATTLEFIELD",
    "FOD": "FOUNTAIN_OF_DREAMS",
    "DL": "DREAM_LAND",
    "DREAMLAND": "DREAM_LAND",
    "PS": "POKEMON_STADIUM",
    "YS": "YOSHIS_STORY",
}
