"""The texts of the bots: exchanges among themselves, and answers to users."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random
from typing import NamedTuple

BOTS = ("marta", "iker", "noor", "teo")
"""The users that are bots."""


class Exchange(NamedTuple):
    """A few messages in one room, each with its author."""

    room: str
    lines: tuple[tuple[str, str], ...]


class Topic(NamedTuple):
    """Answers to messages that contain certain words."""

    words: str
    answers: tuple[str, ...]


def _exchange(room: str, *lines: str) -> Exchange:
    return Exchange(room, tuple((author, text) for author, _, text in (line.partition(": ") for line in lines)))


EXCHANGES = (
    _exchange("mesa/kitchen", "marta: Stock is on. Nobody lifts the lid before four."),
    _exchange(
        "mesa/kitchen",
        "marta: Who has seen the big whisk?",
        "teo: It is in the jug. It has been in the jug for a week.",
    ),
    _exchange(
        "mesa/kitchen", "teo: Two portions of stew for the technician, to go.", "marta: He is part of the family now."
    ),
    _exchange("mesa/kitchen", "marta: Oven two tells the truth today. I do not trust it."),
    _exchange("mesa/kitchen", "iker: Ten kilos of kale at the back door.", "marta: I hear the door. Coming."),
    _exchange("mesa/service", "teo: Table six asks for more bread.", "teo: Table six asks for even more bread."),
    _exchange("mesa/service", "teo: Eight for tomorrow, by the window. All windows are one window now."),
    _exchange("mesa/service", "teo: The gentleman with the dog is here.", "marta: The dog gets the end of the ham."),
    _exchange("mesa/service", "teo: Somebody has fetched the cello. It was the wrong somebody. It is back."),
    _exchange("mesa/general", "teo: The new clock ticks louder than the guests.", "marta: Then feed the guests."),
    _exchange("mesa/general", "noor: We have the first prints here. They smell of ink and leek."),
    _exchange("mesa/general", "iker: Passed by with the van. The window looks lovely with the lights on."),
    _exchange("mesa/general", "teo: A child has drawn the long table. I hung it beside the till."),
    _exchange("mesa/menu", "marta: Tomorrow the squash goes first, it has waited long enough."),
    _exchange("mesa/menu", "marta: Pears or chestnuts?", "teo: Yes.", "marta: That was not the question."),
    _exchange(
        "mesa/menu", "teo: Three people asked for the leek soup by name today.", "marta: By its name or by mine?"
    ),
    _exchange("mesa/suppliers", "iker: Beetroot tomorrow, forty kilos, washed if it rains."),
    _exchange("mesa/suppliers", "marta: Could I have the small leeks again?", "iker: They were never gone. They hid."),
    _exchange("mesa/suppliers", "iker: Eggs: 30. The strike is over."),
    _exchange("coop/square", "iker: The goat has learned to open the gate. We are in talks."),
    _exchange("coop/square", "noor: The poster hangs. It took two people, one ladder and an opinion."),
    _exchange("coop/square", "teo: Found a glove on the corner, left, blue, very elegant."),
    _exchange(
        "coop/square", "marta: Leftovers at nine tonight: beans, squash, a lot of both.", "iker: I bring a bowl."
    ),
    _exchange("coop/harvest", "iker: The fog has lifted, and under it: more chard."),
    _exchange("coop/harvest", "iker: Planted garlic. It is the most hopeful thing that one can do in November."),
    _exchange("coop/harvest", "iker: Apples are in. 22 crates.", "marta: I take four, and the bruised ones."),
    _exchange("coop/deliveries", "teo: East is done. The hill won again."),
    _exchange("coop/deliveries", "iker: Key of the van is in the blue cup. I checked twice."),
    _exchange(
        "coop/recipes", "marta: Beetroot: in its skin, in salt, in the oven, an hour. Then forgive it the colour."
    ),
    _exchange("coop/recipes", "marta: If the soup is flat it wants lemon. If you are flat you want soup."),
    _exchange("coop/recipes", "iker: My mother put an apple into the cabbage.", "marta: Your mother was right."),
    _exchange("studio/desk", "noor: Coffee is made. It is strong enough to sign contracts."),
    _exchange("studio/desk", "teo: I bring the plates back at six.", "noor: They are washed. Almost all of them."),
    _exchange("studio/shoots", "noor: North window is free on two mornings next week. Who has something that steams?"),
    _exchange("studio/crit", "noor: I moved the date onto the empty plate. It looks as if it had always been there."),
    _exchange("studio/crit", "noor: Second proof of the blue. It is bluer, in a good way."),
    _exchange("studio/tools", "noor: The plotter has printed a whole metre without a complaint. Nobody look at it."),
    _exchange("project/winter", "noor: The menu cards are cut. The fold sits."),
    _exchange("project/winter", "noor: Yuki asks whether the wall beside the till is really white, or only tired."),
)

REACTIONS = ("❤️", "👍", "😄", "🙌", "✨", "🍋", "👀")

GREETING = Topic(
    r"\b(hello|hi|hey|hola|good (morning|evening|day))\b",
    ("Hello! Good to see you.", "Hola! Come in, sit down.", "Hello there. Have you eaten?", "Good to hear from you!"),
)
THANKS = Topic(r"\b(thank|thanks|gracias)", ("With pleasure.", "Always.", "That is what the long table is for."))
TOPICS = {
    "marta": (
        Topic(r"\b(soup|leek|stew|bean)", ("The soup is ready when it is ready. So: at half past twelve.",)),
        Topic(r"\b(menu|eat|dinner|lunch|hungry)", ("Come by at four, there is always something to taste.",)),
        Topic(r"\b(bread|hugo)", ("Ask Hugo, but ask him before he has slept.",)),
    ),
    "iker": (
        Topic(r"\b(goat)", ("She sends her regards. She ate the first version of this message.",)),
        Topic(r"\b(chard|vegetable|box|leek|tomato)", ("I can bring it tomorrow by nine. How many kilos?",)),
        Topic(r"\b(weather|rain|frost|cold)", ("Frost by the weekend. The kale is looking forward to it.",)),
    ),
    "noor": (
        Topic(r"\b(offer|price|cost|expensive|cheap)", ("Tell me what it may cost, and I tell you what it can be.",)),
        Topic(r"\b(picture|photo|poster|print|shoot)", ("I can have a proof on your table tomorrow.",)),
        Topic(r"\b(when|date|deadline)", ("End of the week, and I say that with a straight face.",)),
    ),
    "teo": (
        Topic(r"\b(table|book|tonight|reserve)", ("I write you down. Inside, near the warm wall?",)),
        Topic(r"\b(cello|candle|spoon)", ("It is a long story. It is in the cloakroom, too.",)),
        Topic(r"\b(bike|bicycle|box|deliver)", ("I ride east until six. After six I carry plates.",)),
    ),
}
QUESTION = Topic(
    r"\?",
    (
        "I think so, but let me ask around the table.",
        "Good question. Give me until the coffee is through.",
        "Yes. Probably. Almost certainly.",
        "Let me look, I tell you in a minute.",
    ),
)
DEFAULT_ANSWERS = (
    "I like that.",
    "Tell me more, I am only peeling potatoes.",
    "Noted, with a pencil that I will find again.",
    "You are right, as far as I can see from here.",
    "That made my afternoon.",
)
ABOUT_CARDS = {
    "accepted": "Wonderful. I tell the printer before you can change your mind.",
    "declined": "That is all right. I think of something smaller.",
    "countered": "You drive a friendly bargain. Let me sleep on it, shortly.",
    "confirmed": "It is in the calendar, in ink.",
    "open": "Thank you, I look at it right away.",
}
OFFERS = (
    (180, "Ten large prints, unframed"),
    (95, "New picture for the window, one dish"),
    (140, "Menu card, second run of 200"),
    (60, "Twenty postcards of the long table"),
    (320, "A morning of pictures in spring"),
)
NOTICES = (
    ("events", "La Mesa Larga", "A table has become free", "Four places tonight, at half past eight."),
    ("co-op", "Olmo Street Food Co-op", "Leftovers at nine", "Beans, squash, a lot of both. Bring a bowl."),
    ("house", "Olmo Street", "The lamp on the corner works again", "Thank you, whoever has the long ladder."),
    ("events", "La Mesa Larga", "Tasting at four", "The cider rye, third try."),
    ("co-op", "Olmo Street Food Co-op", "The van goes east at five", "There is room for two boxes more."),
)


def answer(author: str, content: str, random: Random, before: Sequence[str] = ()) -> str:
    """Return an answer to a message, if possible none of the recent ones."""
    text = content.casefold()
    topics = (*TOPICS.get(author, ()), THANKS, GREETING, QUESTION)
    fitting = next((topic.answers for topic in topics if re.search(topic.words, text)), DEFAULT_ANSWERS)
    fresh = [answer for answer in fitting if answer not in before]
    return random.choice(fresh or list(fitting))
