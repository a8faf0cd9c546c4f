"""Links: finds the hosts that the links of a text lead to, including disguised ones.

Hosts are compared as a browser displays them: in lowercase, with punycode decoded. The search takes linear time.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Set
from urllib.parse import unquote

from sobremesa.domains.moderation.folding import Characters, is_invisible

MAX_HOST = 253

_LINK = re.compile(r"(?::[/\\]{2}|(?<![\w.@-])(?=www\.))([^\s/\\?#<>]+)")
_NAME = re.compile(r"[\w.%\u3002\u0300-\u036f-]+")
_IN_HOSTS = frozenset(".\u3002%")
"""A host contains one of these: a dot, or an equivalent."""
_INNER_DOT = re.compile(r"[.\u3002%][\w\u0300-\u036f-]").search
"""A dot inside of a name. Most texts have only those at the ends of sentences, and so no names."""
_DOTS = str.maketrans("\u3002", ".")


def _read(character: str) -> str:
    """Return a character as a browser reads it in a URL."""
    return "" if is_invisible(character) else unicodedata.normalize("NFKC", character).casefold()


_TABLE = Characters(_read)


class Links:
    """The links of one text."""

    def __init__(self, text: str) -> None:
        self.plain = plain = text.translate(_TABLE)
        """The text as a browser would read a URL."""
        self.hosts: list[str] = []
        """The host of each link that starts with `https://` or `www.`."""
        self.names: list[str] = []
        """Every host in the text, in a link or not. Rules list only hosts with a dot, so others are left out."""
        if ":" in plain or "www." in plain:
            self.hosts = [host_of(link[1]) for link in _LINK.finditer(plain)]
        if _INNER_DOT(plain):
            self.names = [host_of(name) for name in _NAME.findall(plain) if not _IN_HOSTS.isdisjoint(name[1:])]

    def __bool__(self) -> bool:
        return bool(self.hosts or self.names)


def host_of(authority: str) -> str:
    """Return the host of `user@host:port` in its normalized form; empty if it is not valid."""
    name = _NAME.match(authority.rpartition("@")[2])
    host = "" if name is None else name[0]
    if "%" in host:
        host = unquote(host).translate(_TABLE)
    host = host.translate(_DOTS).strip(".")
    if not host or len(host) > MAX_HOST:
        return ""
    return ".".join(map(_label, host.split(".")))


def is_within(host: str, hosts: Set[str]) -> bool:
    """Return whether a host is one of these, or a subdomain of one."""
    while host:
        if host in hosts:
            return True
        host = host.partition(".")[2]
    return False


def _label(label: str) -> str:
    """Return a part of a host with its punycode decoded."""
    if label.startswith("xn--"):
        try:
            label = label[4:].encode("ascii").decode("punycode")
        except UnicodeError:
            return label
    return unicodedata.normalize("NFKC", label).casefold()
