"""Images of the demo, generated on demand: avatars with initials, photographs of simple shapes."""

from __future__ import annotations

import io
import math
from random import Random
from typing import NamedTuple

from PIL import Image, ImageDraw, ImageFont

AVATAR_SIZE = 256
WIDE = (960, 640)
TEXTS = {
    "chard-soup.txt": (
        "Chard soup for forty\n\n8 kg chard, stems apart\n3 kg potatoes\n1 kg onions\n24 l stock\n"
        "Sweat the onions and the stems for twenty minutes. Potatoes and stock, until soft.\n"
        "The leaves at the very end, or it goes grey. Lemon. Always lemon.\n"
    ),
    "opening-checklist.txt": (
        "1. Alarm off (back door first)\n2. Gas, then hood, never the other way round\n3. Ice machine: listen to it\n"
        "4. Bread in by 10:30\n5. Board outside: today's menu, and spell courgette right\n"
    ),
    "shooting-day.txt": (
        "The day, short\n\n09:30 unload, no shoes on the tables\n10:00 soup, forty seconds of steam\n11:50 the egg\n"
        "12:20 stew\n12:40 stew, eaten\n"
    ),
    "assembly-notes.txt": (
        "Assembly, short notes\n\n- The cold room costs 4,200 and is paid back in two winters\n"
        "- Solidarity boxes: twelve, from fourteen asked for\n- Pilar will not chair again. Pilar chairs again.\n"
    ),
}


class Photograph(NamedTuple):
    """How an image is drawn."""

    motif: str
    ground: str
    colors: tuple[str, ...]


PHOTOGRAPHS = {
    "tomatoes.png": Photograph("crate", "#5b3a21", ("#d7263d", "#e85d04", "#9d0208")),
    "leeks.png": Photograph("crate", "#3f4a3c", ("#d8f3dc", "#95d5b2", "#74c69d")),
    "quince-tart.png": Photograph("plate", "#ede0d4", ("#fff8ee", "#e09f3e", "#9e2a2b", "#f7d794")),
    "new-stew.png": Photograph("plate", "#2b2d42", ("#f8f9fa", "#7f4f24", "#bc6c25", "#606c38")),
    "long-table.png": Photograph("plan", "#f4f1de", ("#81523f", "#e07a5f", "#3d405b")),
    "label-round-2.png": Photograph("swatches", "#fefae0", ("#283618", "#606c38", "#dda15e", "#bc6c25")),
    "contact-sheet.png": Photograph("swatches", "#111827", ("#374151", "#9ca3af", "#f59e0b", "#b45309")),
    "set-in-daylight.png": Photograph("plan", "#e0fbfc", ("#293241", "#98c1d9", "#ee6c4d")),
    "smoke-test.png": Photograph("plate", "#1f2421", ("#dce1de", "#9cc5a1", "#49a078", "#f1f7ed")),
    "north-window.png": Photograph("swatches", "#e8eef2", ("#c7d3dd", "#f4f7f9", "#a9bcd0", "#d8dbe2")),
    "number-5.png": Photograph("plate", "#582f0e", ("#ede0d4", "#ddb892", "#b08968", "#9e2a2b")),
    "seedlings.png": Photograph("crate", "#3a2e26", ("#b7e4c7", "#52b788", "#2d6a4f")),
    "shop-shelves.png": Photograph("swatches", "#fff7ed", ("#7c2d12", "#c2410c", "#65a30d", "#fbbf24")),
}


def avatar(initials: str, colors: tuple[str, str]) -> bytes:
    """Return the avatar of a user or the icon of a community."""
    ground, ink = colors
    picture = Image.new("RGB", (AVATAR_SIZE, AVATAR_SIZE), ground)
    brush = ImageDraw.Draw(picture)
    brush.ellipse((-60, AVATAR_SIZE * 0.62, AVATAR_SIZE + 60, AVATAR_SIZE * 1.6), fill=_mixed(ground, ink, 0.22))
    brush.text((AVATAR_SIZE / 2, AVATAR_SIZE * 0.46), initials, fill=ink, anchor="mm", font=ImageFont.load_default(108))
    return _png(picture)


def photograph(name: str) -> bytes:
    """Return a photograph as PNG; the same bytes each time."""
    ground, colors = PHOTOGRAPHS[name].ground, PHOTOGRAPHS[name].colors
    picture = Image.new("RGB", WIDE, ground)
    _MOTIFS[PHOTOGRAPHS[name].motif](ImageDraw.Draw(picture), colors, Random(name))  # noqa: S311 - paint
    return _png(picture)


def content_of(name: str) -> tuple[str, bytes]:
    """Return the content type and the bytes of a file in a message."""
    return ("text/plain", TEXTS[name].encode()) if name in TEXTS else ("image/png", photograph(name))


def _crate(brush: ImageDraw.ImageDraw, colors: tuple[str, ...], random: Random) -> None:
    width, height = WIDE
    for row in range(6):
        for column in range(9):
            x = (column + 0.5) * width / 9 + random.uniform(-14, 14)
            y = (row + 0.5) * height / 6 + random.uniform(-14, 14)
            size = random.uniform(44, 62)
            brush.ellipse((x - size, y - size, x + size, y + size), fill=random.choice(colors))
            brush.ellipse((x - size / 2, y - size / 2, x - size / 4, y - size / 4), fill="#ffffff")


def _plate(brush: ImageDraw.ImageDraw, colors: tuple[str, ...], random: Random) -> None:
    x, y = WIDE[0] / 2, WIDE[1] / 2
    for size, color in zip((280, 230, 150), colors[:3], strict=True):
        brush.ellipse((x - size, y - size, x + size, y + size), fill=color)
    for step in range(14):
        angle, far = step * math.tau / 14, random.uniform(60, 130)
        left, top = x + far * math.cos(angle), y + far * math.sin(angle)
        brush.ellipse((left - 22, top - 22, left + 22, top + 22), fill=colors[3])


def _swatches(brush: ImageDraw.ImageDraw, colors: tuple[str, ...], random: Random) -> None:
    for row in range(3):
        for column in range(4):
            left, top = 50 + column * 220, 40 + row * 195
            brush.rounded_rectangle((left, top, left + 190, top + 165), 14, fill=random.choice(colors))


def _plan(brush: ImageDraw.ImageDraw, colors: tuple[str, ...], random: Random) -> None:
    wood, seat, line = colors
    brush.rectangle((120, 250, 840, 390), fill=wood, outline=line, width=6)
    for index in range(11):
        for top in (180, 410):
            left = 130 + index * 65
            brush.rounded_rectangle((left, top, left + 46, top + 46), 12, fill=seat, outline=line, width=3)
    brush.arc((40, 40, 240, 240), 180, 270, fill=line, width=6)


_MOTIFS = {"crate": _crate, "plate": _plate, "swatches": _swatches, "plan": _plan}


def _mixed(one: str, other: str, share: float) -> tuple[int, int, int]:
    first, second = (tuple(int(text[index : index + 2], 16) for index in (1, 3, 5)) for text in (one, other))
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(first, second, strict=True))
    return red, green, blue


def _png(picture: Image.Image) -> bytes:
    out = io.BytesIO()
    picture.save(out, "PNG")
    return out.getvalue()
