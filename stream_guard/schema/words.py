"""Tables of words that are similar in letters and different in meaning.

`spelling.py` uses them. None of these words is ever taken for another one mistyped, nor proposed for another on its line.

Rule: a line too many costs only a question ("did you mean"). A missing line must do no harm either: `spelling.slipped` decides
without these tables which letters may differ.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final

_OPPOSITES: Final = """
    above below | absolute relative | accept decline refuse reject | activate deactivate | active inactive
    add remove subtract | after before | allow block deny forbid | altitude attitude latitude longitude
    append insert prepend replace | approve disapprove reject | archive restore unarchive | arrival departure
    arrive depart | ascending descending | asc desc | ask bid | assign unassign | attach detach | authorise deauthorise
    authorize deauthorize | back front | backup restore | backward forward | ban unban | begin end | bind unbind
    blacklist whitelist | blocklist allowlist | block unblock | book cancel | bookmark unbookmark | borrow lend
    bottom top | bcc cc to | buy sell | by from to | cancel confirm | check uncheck | child parent | client server
    close open reopen | closed open | collapse expand | column row | commit rollback | compress decompress
    connect disconnect | consumer producer | copy move | create delete update | credit debit | day night
    debtor creditor | decode encode | decrease increase | decrement increment | decrypt encrypt | delete undelete
    dequeue enqueue | deny grant | deposit withdraw withdrawal | dest destination source src | disable enable
    dislike like unlike | dispatch receive | download upload | downgrade upgrade | downvote upvote | draft publish
    drop undrop | duplicate original | east north south west | eastbound northbound southbound westbound
    employee employer | empty fill | end start | enter exit leave | even odd | every never | exclude include
    excluded included | excludes includes | excluding including | expense income | export import | exporter importer
    external internal | fail pass | failure success | false true | fast slow | female male | filter keep | final initial
    first last | flag unflag | follow unfollow | freeze unfreeze | full partial | get set unset | give take
    global local | grant revoke | greater less | gross net | guest host | head tail | height width depth
    hidden visible | hide show unhide | high low | horizontal vertical | ignore unignore | in out | inbound outbound
    ingress egress | inner outer | input output | inside outside | install reinstall uninstall | invite uninvite
    issue revoke | join leave part | key value | landlord tenant | large small | lat lon lng long | leader follower
    left right | lessee lessor | licensee licensor | link unlink | load save store unload | lock unlock
    locked unlocked | login logout | logon logoff | lower upper | man woman | master slave replica | max min mean median
    maximise minimise | maximize minimize | maximum minimum | merge split | mine theirs | more less
    mortgagee mortgagor | mount unmount umount remount | mute unmute | negative positive | new old | next prev previous
    no yes | nullable required | numerator denominator | off on | offer request | offline online | once twice
    opt optin optout | optional required | origin destination | over under | own owe owner | pack unpack | past future
    patch post put | pause resume stop | pay payback refund charge | payee payer | pending settled | permit prohibit
    pickup delivery dropoff | pin unpin | plain cipher | plaintext ciphertext | play pause | plus minus | pop push
    pre post | premium basic | primary secondary tertiary | prevent permit | private public secret | promote demote
    protect unprotect | publish unpublish | pull push | purchase sale return | query mutation | queued running
    quiet verbose | quote unquote | raise lower | read unread write | real fake test | receive send | receiver sender
    recipient sender | recv send | red green blue alpha | redo undo | register unregister deregister | release hold
    reserve cancel release | resolve reopen unresolve | restart start stop shutdown | reverse forward
    rollback rollout rollforward | select deselect unselect | serialise deserialise | serialize deserialize | set reset
    sign unsign verify | silent loud | single multiple | sort shuffle | src dst | stage unstage
    staging production prod dev | star unstar | stash unstash | subscribe unsubscribe | sum difference product
    suspend unsuspend resume | sync async | tag untag | target source | teacher student | trainee trainer
    transmit receive | trust distrust untrust | type untype | unary binary | unite untie united untied | unwatch watch
    up down | valid invalid | validate invalidate | vendor customer | wrap unwrap | x y z
    year month week day hour minute second quarter | yours mine | zip unzip | marital martial | causal casual
    dairy diary | trail trial | angel angle | quiet quite | desert dessert | later latter | canon cannon
    filed filled field | planed planned | hoping hopping | taping tapping | diner dinner | polices policies
    contact contract | insert inset invert | assert asset | country county | reserve reverse | sever server
    price prize | moral morale | personal personnel | principal principle | stationary stationery | accept except expect
    affect effect | device devise | advice advise | loose lose | ensure insure assure | complement compliment
    council counsel | discreet discrete | desing design | form from | public pubic | sacred scared
    statue status statute | message massage | thorough through though | adapt adept adopt | allude elude
    elicit illicit | eligible illegible | eminent imminent | emigrate immigrate | historic historical
    ingenious ingenuous | interstate intrastate intestate | inter intra | perspective prospective | precede proceed
    prescribe proscribe | proposition preposition | respectfully respectively | veracity voracity | ordinance ordnance
    mortal moral | nuclear unclear
"""

_UNITS: Final = """
    s sec secs second seconds ms msec msecs millis millisecond milliseconds us usec micros microsecond microseconds ns nanos
    nanosecond nanoseconds m min mins minute minutes h hr hrs hour hours d day days week weeks w month months quarter
    quarters y yr year years
    |
    b bit bits byte bytes k kb kib kbit kbits kilobyte kilobytes kilobit kilobits mb mib mbit mbits megabyte megabytes
    megabit megabits g gb gib gbit gbits gigabyte gigabytes gigabit gigabits t tb tib tbit terabyte terabytes p pb pib
    petabyte petabytes
    |
    bps kbps mbps gbps
    |
    mg g gr gram grams gramme grammes kg kgs kilo kilos kilogram kilograms t ton tons tonne tonnes oz ounce ounces lb lbs
    pound pounds st stone
    |
    nm um micron microns mm millimeter millimeters millimetre millimetres cm centimeter centimeters centimetre centimetres
    dm m meter meters metre metres km kilometer kilometers kilometre kilometres in inch inches ft foot feet yd yard yards mi
    mile miles nmi
    |
    mm2 cm2 m2 km2 sqm sqft acre acres ha hectare hectares
    |
    ml cl dl l liter liters litre litres gal gallon gallons pt pint pints qt quart quarts m3 cup cups tsp tbsp
    |
    c f k celsius fahrenheit kelvin centigrade
    |
    deg degree degrees rad radian radians grad turn turns
    |
    hz khz mhz ghz rpm
    |
    pa hpa kpa mpa bar mbar psi atm
    |
    w kw mw gw watt watts kilowatt kilowatts megawatt megawatts hp
    |
    wh kwh mwh j kj mj joule joules cal kcal calorie calories
    |
    v mv kv volt volts a ma ka amp amps ohm ohms
    |
    mph kmh kph mps knot knots kn
    |
    px em rem pt pc vh vw percent pct percentage permille ppm bps basis fraction ratio
    |
    cent cents dollar dollars euro euros pence pound pounds
    |
    usd eur gbp jpy chf cad aud nzd cny inr brl mxn sek nok dkk pln
    |
    dozen hundred thousand million billion trillion
    |
    utc gmt local
    |
    bin oct dec hex
    |
    binary octal decimal hexadecimal
    |
    one two three four five six seven eight nine ten
"""


@cache  # made for the first name that is compared: no import waits for it
def opposites() -> Mapping[str, frozenset[str]]:
    """Return, for each word that is an opposite, a unit or a direction, the words that it must not be taken for."""
    made: dict[str, set[str]] = {}
    groups = [*_OPPOSITES.replace("\n", "|").split("|"), *_UNITS.split("|")]
    for words in (set(group.split()) for group in groups):
        for word in words:
            made.setdefault(word, set()).update(words - {word})
    return {word: frozenset(others) for word, others in made.items()}


_BEFORE: Final = frozenset({
    "a", "anti", "counter", "de", "dis", "en", "ex", "im", "in", "inter", "intra", "ir", "il", "mis", "no", "non",
    "post", "pre", "re", "sub", "super", "trans", "un", "under", "up",
})  # fmt: skip

NEGATING: Final = tuple(sorted({*_BEFORE, "down", "off", "on", "out", "over"}))
"""Words that change the meaning of the word after them: `un`, `pre`, `off`."""

BOUND: Final = frozenset({*_BEFORE, "an", "be", "co", "for", "is", "not", "now", "pro"})
"""Prefixes that, joined to a word, may make a word of another meaning: `re_sign` and `resign`, `not_able` and `notable`."""

CASED: Final = frozenset({
    "bps", "gb", "gbps", "gib", "gw", "kb", "kbps", "kib", "kw", "mb", "mbps", "mg", "mhz", "mib", "mj", "mm", "mpa", "mv",
    "mw", "mwh", "pb", "tb", "tbps", "tib",
})  # fmt: skip
"""Units that differ only by case: bits and bytes, milli and mega."""

NAMESPACES: Final = ("default_api.", "functions.", "multi_tool_use.", "tools.")
"""Prefixes that providers put before an application's own tools. A server's prefix (`mcp__server__`) means another tool."""
