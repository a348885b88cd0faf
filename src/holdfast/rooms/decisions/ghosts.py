"""Ghosts: features that are spoken of and are not there.

That something is absent is a claim like any other, so it is checked: by two different searches over
the code, one for the words themselves and one for other words with the same meaning; mentions in
documents are counted apart, for a feature lives in code.

    no code, up to 2 mentions   ghost        it is not there
    no code, 3 mentions or more ambiguous    much is written of it: a person decides
    any code                    found        and where
    fewer than two searches     unverified   one wording proves nothing; --also gives another

Laws: a pattern means the same to every way of searching; what is searched is the work tree as it
is.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from holdfast.rooms.decisions.contradiction.stems import EMPTY, stem
from holdfast.rooms.decisions.decision import BROKEN, GROUNDED, UNSUPPORTED

if TYPE_CHECKING:
    from holdfast.ledger.kinds import Body

GHOST, AMBIGUOUS, FOUND, UNVERIFIED = "ghost", "ambiguous", "found", "unverified"
MENTIONS = 3  # from which a person is asked
SEARCHES = 2
SHOWN = 20
WORDS = 6  # of a feature's name that are searched for

# Words that architects use for one thing. Each line is one meaning.
MEANINGS = """
limit throttle quota cap restrict
rate frequency
auth authentication login signin logon credential
authorization authorisation permission acl rbac access
cache memo memoize lru
retry backoff reattempt resilience
queue broker backlog outbox
delete remove purge erase destroy
search find lookup query
export dump download
import ingest upload load
notify notification alert push
email mail smtp
encrypt cipher crypto aes
log audit journal trace
metric telemetry counter gauge statsd
schedule cron timer periodic
job task worker
webhook callback
payment billing checkout invoice charge
user account member
session login cookie
config setting option preference
dark night theme
mode theme
plugin extension addon
translate translation i18n locale gettext
undo revert rollback
sync replicate mirror
backup snapshot dump
compress gzip zip zstd
validate check verify sanitize
pagination paging cursor offset page
websocket socket realtime sse
lock mutex semaphore
feature flag toggle switch
flag toggle switch
test spec
tenant organisation organization workspace
multi many several
password passphrase secret
reset recover forgot
two second multi
factor mfa totp otp
share invite collaborate
comment note annotation
tag label category
filter where criteria
sort order rank
chart graph plot
print pdf
offline serviceworker local
migrate migration upgrade
health liveness readiness ping heartbeat
circuit fuse
breaker fuse resilience
idempotent dedup deduplicate
token jwt bearer
oauth oidc sso saml
stream chunk pipe
batch bulk
archive cold
version revision history
api endpoint route
server daemon service
image picture photo thumbnail
video media
map geo location
voice speech audio
spell grammar
draft autosave
bookmark favourite favorite star
"""
# A whole feature by another name. What stands before "=" is in any form and order of endings.
NAMES = """
rate limit = throttle, token bucket, leaky bucket, too many requests, 429
dark mode = night mode, color scheme, colour scheme
two factor = 2fa, mfa, totp, otp
multi factor = 2fa, mfa, totp, otp
single sign on = sso, saml, oidc
circuit breaker = fuse, hystrix, resilience
feature flag = feature toggle, launchdarkly, unleash, experiment flag
full text search = fts, fts5, inverted index, tsvector, bm25
background job = worker, task queue, celery, sidekiq
message queue = broker, kafka, rabbitmq, amqp
access control = permission, acl, rbac, authorize, authorise
audit log = audit trail, audit event, journal
soft delete = deleted at, is deleted, tombstone
dead letter = dlq, poison message
load balancer = round robin, upstream, haproxy
health check = liveness, readiness, healthz, heartbeat
password reset = forgot password, recover password, reset token
file upload = multipart, attachment, put object
multi tenant = tenant id, organisation id, organization id, workspace id
event source = event store, append only, aggregate
connection pool = max connections, pool size
csrf = xsrf, samesite
cors = allow origin, cross origin
graceful shutdown = sigterm, drain, shutdown hook
dry run = simulate, no op, what if
auto complete = typeahead, suggest
infinite scroll = load more, lazy load
"""


@dataclass(frozen=True, slots=True)
class Hit:
    """One line that a search found."""

    path: str
    line: int
    text: str

    def where(self) -> str:
        return f"{self.path}:{self.line}"


@dataclass(frozen=True, slots=True)
class Found:
    """What came of looking for a feature, and in which state of the work tree."""

    feature: str
    also: tuple[str, ...]
    searches: tuple[tuple[str, ...], ...]
    code: tuple[Hit, ...] = ()
    docs: tuple[Hit, ...] = ()
    commit: str = ""
    dirty: bool = False
    files: int = 0
    unread: tuple[str, ...] = field(default=())

    @property
    def verdict(self) -> str:
        return verdict(len(self.searches), len(self.code), len(self.docs))

    def as_body(self) -> Body:
        """As it is kept."""
        return {
            "feature": self.feature,
            "also": list(self.also),
            "verdict": self.verdict,
            "searches": [list(patterns) for patterns in self.searches],
            "code": len(self.code),
            "docs": len(self.docs),
            "where": [hit.where() for hit in (*self.code, *self.docs)[:SHOWN]],
            "commit": self.commit,
            "dirty": self.dirty,
        }


def verdict(searches: int, code: int, docs: int) -> str:
    if code:
        return FOUND
    if searches < SEARCHES:
        return UNVERIFIED
    return AMBIGUOUS if docs >= MENTIONS else GHOST


def standing(name: str) -> str:
    """How a claim of absence stands, in the words of grounding: as long as nothing is found."""
    return {GHOST: GROUNDED, FOUND: BROKEN}.get(name, UNSUPPORTED)


def searches(feature: str, also: tuple[str, ...] = ()) -> tuple[tuple[str, ...], ...]:
    """The different searches for a feature: its own words, and other words for it."""
    own = _words(feature)
    if not own:
        return ()
    first = tuple(dict.fromkeys((_pattern(own), _pattern(tuple(reversed(own))))))
    second = dict.fromkeys(_pattern(_words(other)) for other in also if _words(other))
    second |= dict.fromkeys(_pattern(words) for words in _other_words(own))
    different = tuple(other for other in second if other not in first)
    return (first, different) if different else (first,)


def _words(text: str) -> tuple[str, ...]:
    """A feature's words, in any of the forms that identifiers are written in."""
    apart = []
    for before, letter in zip(f" {text}", text, strict=False):
        apart.append(" " if letter.isupper() and before.islower() else "")
        apart.append(letter if letter.isalnum() else " ")
    words = [word for word in "".join(apart).lower().split() if word not in EMPTY]
    return tuple(words[:WORDS])


def _other_words(own: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The same feature in other words: by another name, or with one word exchanged."""
    roots = [stem(word) for word in own]
    others = []
    for line in NAMES.strip().splitlines():
        feature, _, names = line.partition("=")
        if {stem(word) for word in feature.split()} <= set(roots):
            others += [_words(name) for name in names.split(",")]
    for place, word in enumerate(own):
        others += [(*own[:place], other, *own[place + 1 :]) for other in _likes(word)]
    return others


def _likes(word: str) -> list[str]:
    root = stem(word)
    likes: dict[str, None] = {}
    for line in MEANINGS.strip().splitlines():
        words = line.split()
        if root in map(stem, words):
            likes |= dict.fromkeys(like for like in words if stem(like) != root)
    return list(likes)


def _pattern(words: tuple[str, ...]) -> str:
    """Words one after another, in whatever form: rate limiting, rate_limit, rateLimiter,
    RATE-LIMIT. Plain enough to mean the same in every engine."""
    return "[^A-Za-z0-9]{0,3}".join(_open_ended(word) for word in words)


def _open_ended(word: str) -> str:
    root = stem(word)
    root = word[: len(root)] if word.startswith(root[:-1]) else word
    if len(root) < 4:
        root = word
    ending = "[a-z]{0,7}" if root.isascii() and root.isalpha() else ""
    return f"{root}{ending}"
