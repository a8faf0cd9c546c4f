"""Messages that repeat daily: menu, covers, harvest, deliveries and standup."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from sobremesa.demo.calendar import Calendar
from sobremesa.demo.scripts import Line

DAYS = 34
CLOSED_EVERY = 7
"""The restaurant is closed one day in seven."""

SOUPS = (
    "smoked leek soup",
    "onion soup with yesterday's bread",
    "chard and potato",
    "red lentils with cumin",
    "squash and ginger",
    "white beans with rosemary",
    "clear broth with an egg",
    "beetroot with buttermilk",
)
MAINS = (
    "white bean stew",
    "baked squash with hazelnuts",
    "rabbit with mustard, or mushrooms with mustard",
    "rice with cuttlefish, black as a night shift",
    "potato gratin and a green salad",
    "chicken with lemon and olives",
    "chickpeas with spinach",
    "hake, if the harbour road allows it",
    "stuffed peppers, the small ones",
)
SWEETS = (
    "quince tart",
    "panna cotta",
    "rice pudding",
    "apple cake",
    "chestnut cream",
    "pears in red wine",
    "the almond biscuit that nobody gets the recipe of",
)
EVENINGS = (
    "Nobody sent anything back.",
    "One glass broken, no hearts.",
    "The long table sang.",
    "Ran out of bread at ten, hid the last slice for the kitchen.",
    "A gentleman proposed. She said yes, then she said dessert.",
    "Quiet until nine, then everybody at once.",
    "Two birthdays, one cake, nobody noticed.",
    "The window table was asked for four times.",
    "Somebody left a cello. It is in the cloakroom.",
    "The kitchen got applause. The kitchen pretended not to hear.",
    "Tips went into the blue jar.",
)
FIELDS = (
    "Fog until ten. Lifted the leeks by feel.",
    "Chard again. It knows no limits.",
    "Beetroot is at its best this week.",
    "Rain, finally. The kale says thank you.",
    "Fixed the fence. The goat watched and took notes.",
    "Sowed the broad beans. See you in spring.",
    "The hens have gone on strike: 22 eggs.",
    "Sun! In November! Did everything at once.",
    "Carrots out, all of them crooked, all of them proud.",
    "Cold hands, warm compost.",
)
ROUTES = (
    "all delivered",
    "all delivered, one to the wrong number 14, fetched again",
    "two not fetched, gone to Ana's pot",
    "all delivered, tyre patched on the way",
    "three swaps at the door, everybody happy",
    "all delivered before the rain",
    "one returned with a thank-you note in it",
)
WORK = {
    "noor": (
        "calls until eleven, then the budget of the theatre",
        "writing offers, please interrupt me",
        "at the printer's with a magnifying glass",
        "the wall of references, at last",
        "client lunch. I take photographs of the menu, obviously",
    ),
    "sami": (
        "kerning. Do not ask",
        "labels, winter goes blue today",
        "drawing hands. Hands are hard",
        "menu card, the fold",
        "the plotter and I are talking again",
    ),
    "yuki": (
        "retouching steam",
        "scouting for a wall that is not white",
        "contact sheets, tea, contact sheets",
        "packing for tomorrow's light",
        "asleep until ten, then very fast",
    ),
}
EMOJI = ("❤️", "👍", "😋", "🙌", "😄", "✨")


def read(calendar: Calendar, random: Random) -> Iterator[list[Line]]:
    """Yield the daily messages, each as a script of its own."""
    for day in range(DAYS, 0, -1):
        if day % CLOSED_EVERY:
            yield [_menu(calendar, random, day)]
            yield [_evening(calendar, random, day)]
        if day % 2:
            yield [_fields(calendar, random, day)]
        else:
            yield [_boxes(calendar, random, day)]
        if day % CLOSED_EVERY not in (0, 1):
            yield from _standup(calendar, random, day)


def _menu(calendar: Calendar, random: Random, day: int) -> Line:
    soup, main, sweet = _turn(SOUPS, day), _turn(MAINS, day), _turn(SWEETS, day)
    text = f"Today: {soup}; {main}; {sweet}. 17 with coffee."
    return _line(calendar, random, "mesa/menu", day, "08:30", "marta", text, ("ana", "teo", "hugo", "pilar"))


def _evening(calendar: Calendar, random: Random, day: int) -> Line:
    text = f"Closed. {31 + day * 7 % 23} covers. {_turn(EVENINGS, day)}"
    return _line(calendar, random, "mesa/service", day, "23:10", "teo", text, ("ana", "marta", "hugo"))


def _fields(calendar: Calendar, random: Random, day: int) -> Line:
    text = _turn(FIELDS, day // 2)
    return _line(calendar, random, "coop/harvest", day, "06:10", "iker", text, ("ben", "lena", "marta", "pilar"))


def _boxes(calendar: Calendar, random: Random, day: int) -> Line:
    text = f"{22 + day % 9} boxes tonight: {_turn(ROUTES, day // 2)}."
    return _line(calendar, random, "coop/deliveries", day, "21:30", "ben", text, ("lena", "teo", "carmen", "pilar"))


def _standup(calendar: Calendar, random: Random, day: int) -> Iterator[list[Line]]:
    for minute, author in enumerate(WORK, 5):
        text = f"Today {_turn(WORK[author], day)}."
        yield [_line(calendar, random, "studio/standup", day, f"09:{minute:02d}", author, text, tuple(WORK))]


def _line(
    calendar: Calendar, random: Random, room: str, day: int, time: str, author: str, text: str, others: Sequence[str]
) -> Line:
    """Return a message at about this time, with reactions of some of the others."""
    at_ms = calendar.past(f"{day} {time}") + random.randrange(0, 1_200_000)
    liked = tuple(other for other in others if other != author and random.random() < 0.2)
    reactions = ((random.choice(EMOJI), liked),) if liked else ()
    return Line(room=room, at_ms=min(at_ms, calendar.now_ms - 1000), author=author, text=text, reactions=reactions)


def _turn(choices: Sequence[str], day: int) -> str:
    return choices[day % len(choices)]
