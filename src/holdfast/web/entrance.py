"""Who is let in: a code that is good once becomes a cookie, and only that opens a page.

Laws: code and cookie are held in memory alone; a code dies with its first use, right or wrong use
of any other changes nothing; both are compared in a time that tells nothing of them.
"""

from __future__ import annotations

import hmac
import secrets
from http.cookies import CookieError, SimpleCookie

BYTES = 32


class Entrance:
    """The codes that are still good, and the cookies of those who came in."""

    def __init__(self, port: int) -> None:
        # A browser sends a host's cookies to each of its ports: two dashboards must not mix.
        self.cookie_name = f"holdfast-{port}"
        self._codes: set[str] = set()
        self._spent: set[str] = set()
        self._guests: set[str] = set()

    def new_code(self) -> str:
        """A code that lets one browser in; those before it that nobody used are void."""
        code = secrets.token_urlsafe(BYTES)
        self._spent |= self._codes
        self._codes = {code}
        return code

    def enter(self, code: str) -> str:
        """The cookie for a code that is good, "" for any other."""
        known = next((each for each in self._codes if _are_equal(each, code)), "")
        if not known:
            return ""
        self._codes.discard(known)
        self._spent.add(known)
        guest = secrets.token_urlsafe(BYTES)
        self._guests.add(guest)
        return guest

    def was_good(self, code: str) -> bool:
        """Whether a code was good once: somebody else may have come in with it."""
        return any(_are_equal(each, code) for each in self._spent)

    def guest(self, cookies: str) -> str:
        """Whose cookie is among those of a request; "" when it is nobody's."""
        try:
            given = SimpleCookie(cookies).get(self.cookie_name)
        except CookieError:
            return ""
        if given is None:
            return ""
        return next((each for each in self._guests if _are_equal(each, given.value)), "")

    def cookie(self, guest: str) -> str:
        """The header that gives a browser its cookie. It ends with the browser or the server."""
        return f"{self.cookie_name}={guest}; Path=/; HttpOnly; SameSite=Strict"


def form_token(guest: str) -> str:
    """What a form of a guest's page brings along: nobody else's page knows it."""
    return hmac.new(guest.encode(), b"form", "sha256").hexdigest()


def is_token(given: str, guest: str) -> bool:
    return _are_equal(form_token(guest), given)


def _are_equal(kept: str, given: str) -> bool:
    return hmac.compare_digest(kept.encode(), given.encode("utf-8", "replace"))
