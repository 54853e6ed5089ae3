from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import datetime
from typing import Any, Literal, NotRequired, TypedDict, cast

from . import types
from .check import check, check_key, invalid, largest_page, to_query, to_segment
from .errors import CursorExpiredError
from .subscriptions import Subscriptions
from .transport import Transport
from .types import V3DataPointRecord, V3Diff, V3Event, V3EventType, V3ListBody, V3LookupBody, V3Passport
from .types import V3PassportRecord, V3RecordsResult, V3RuleSet, V3Scores, V3SearchBody

Key = int | str
Includes = Sequence[types.V3Include]
Fields = Sequence[types.V3Field]
Instant = str | datetime
"""A datetime with a timezone, or an ISO 8601 text: a day, or a time with its offset."""

# The copy begins, or begins again because events are missing: delete all passports that you have.
V3Start = TypedDict("V3Start", {"type": Literal["start"]})
V3Put = TypedDict("V3Put", {"type": Literal["put"], "passport": V3Passport})
# The passport was removed, or merged into another one. It is possible that you do not have it.
V3Delete = TypedDict("V3Delete", {"type": Literal["delete"], "id": int, "merged_into": NotRequired[int]})
# Store the cursor when all changes before it are stored. `is_current`: the copy has all changes until now.
V3Checkpoint = TypedDict("V3Checkpoint", {"type": Literal["checkpoint"], "cursor": str, "is_current": bool})
V3Change = V3Start | V3Put | V3Delete | V3Checkpoint

KEYS_PER_REQUEST = 1000
MOST_RECORDS = 1000


def to_path(after: str | None, filters: dict[str, Any], limit: int | None = None) -> str:
    return "/v3/events" + to_query({"after": after, **filters, "limit": limit})


class V3:
    """`include` adds parts of a passport. With `select`, a passport has only these fields. `after` of a read is the
    cursor of a write: the result includes the write."""

    def __init__(self, transport: Transport) -> None:
        self.subscriptions = Subscriptions(transport)
        self._send = transport.send
        self._follow = transport.follow

    def passport(
        self, key: Key, *, include: Includes = (), select: Fields | None = None, as_of: Instant | None = None,
        after: str | None = None,
    ) -> V3Passport:
        """Finds a passport by id, wallet or handle (`github:zoe`). Raises `not_found`, or `ambiguous`."""
        query = to_query({"include": include, "select": select, "as_of": as_of, "after": after})
        field = select[0].split(".")[0] if select else "passport_id"
        return cast(V3Passport, self._send(f"/v3/passports/{to_segment(key)}{query}", field))

    def lookup(
        self, keys: Sequence[Key], *, include: Includes = (), select: Fields | None = None, as_of: Instant | None = None,
        after: str | None = None,
    ) -> V3LookupBody:
        """Returns one item per key, in the order of the keys. Sends one request per 1,000 keys."""
        if isinstance(keys, str):
            raise invalid("keys", "a list of passport ids, wallets and handles", keys)
        texts = [check_key(key) for key in keys]
        fields = check({"include": include, "select": select, "as_of": as_of, "after": after})
        body: V3LookupBody = {"items": [], "found": 0}
        for at in range(0, len(texts), KEYS_PER_REQUEST):
            part = self._send("/v3/lookup", "items", {"keys": texts[at : at + KEYS_PER_REQUEST], **fields})
            body["items"] += part["items"]
            body["found"] += part["found"]
        return body

    def page(
        self, *, q: str | None = None, filter: str | None = None, sort: types.V3Sort | None = None,
        since: Instant | None = None, limit: int | None = None, include: Includes = (), select: Fields | None = None,
        group_by: types.V3GroupBy | Sequence[types.V3GroupBy] | None = None, group_prefix: str | None = None,
        cursor: str | None = None, after: str | None = None,
    ) -> V3ListBody:
        """Returns one page of passports, the number of all matches, and the groups of `group_by`."""
        values = {"q": q, "filter": filter, "sort": sort, "since": since, "limit": limit, "include": include, "select": select}
        groups = {"group_by": group_by, "group_prefix": group_prefix}
        query = to_query({**values, **groups, "cursor": cursor, "after": after})
        return cast(V3ListBody, self._send(f"/v3/passports{query}", "items"))

    def search(
        self, q: str, *, filter: str | None = None, sort: types.V3Sort | None = None, limit: int | None = None,
        include: Includes = (), select: Fields | None = None, cursor: str | None = None,
        group_by: types.V3GroupBy | Sequence[types.V3GroupBy] | None = None, group_prefix: str | None = None,
    ) -> V3SearchBody:
        """Reads a text as the search of the web pages does, and returns a page of the passports that it means."""
        values = {"q": q, "filter": filter, "sort": sort, "limit": limit, "include": include, "select": select}
        query = to_query({**values, "group_by": group_by, "group_prefix": group_prefix, "cursor": cursor})
        return cast(V3SearchBody, self._send(f"/v3/search{query}", "items"))

    def scores(self) -> V3Scores:
        """The distribution of the scores of all listed passports."""
        return cast(V3Scores, self._send("/v3/scores", "counts"))

    def list(
        self, *, q: str | None = None, filter: str | None = None, sort: types.V3Sort | None = None,
        since: Instant | None = None, limit: int | None = None, include: Includes = (), select: Fields | None = None, after: str | None = None,
    ) -> Iterator[V3Passport]:
        """Iterates over all matching passports. Fetches pages as they are needed; `limit` is their size."""
        fields: dict[str, Any] = {"include": include, "select": select, "since": since}
        size = largest_page(fields) if limit is None else limit
        cursor: str | None = ""
        while cursor is not None:
            page = self.page(q=q, filter=filter, sort=sort, limit=size, cursor=cursor or None, after=after, **fields)
            yield from page["items"]
            cursor = page["next"]

    def diff(self, key: Key, start: Instant, end: Instant | None = None) -> V3Diff:
        """The net change of a score between two times, and its causes. `end` defaults to the present."""
        query = to_query({"from": start, "to": end})
        return cast(V3Diff, self._send(f"/v3/passports/{to_segment(key)}/diff{query}", "causes"))

    def rules(self, stamp: str) -> V3RuleSet:
        """The rule set behind a score: `stamp` is the field `rules` of a passport."""
        return cast(V3RuleSet, self._send(f"/v3/rules/{to_segment(stamp)}", "stamp"))

    def write(
        self, records: Sequence[V3PassportRecord | V3DataPointRecord], *, dry_run: bool = False
    ) -> V3RecordsResult:
        """Stores up to 1,000 records or 1 MiB in one transaction: all of them, or none. With `dry_run`, only checks them.
        Writing records again changes nothing, so failed requests are retried."""
        if isinstance(records, (str, bytes, dict)) or not 1 <= len(records) <= MOST_RECORDS:
            accepted = f"a list of 1 to {MOST_RECORDS} records, because a call is one transaction"
            raise invalid("records", accepted, f"{type(records).__name__} of {len(records)}")
        query = to_query({"dry_run": "true" if dry_run else None})
        return cast(V3RecordsResult, self._send(f"/v3/records{query}", "outcomes", {"records": [*records]}))

    def cursor(self) -> str:
        """The cursor of the end of the event log now: events after it are newer."""
        return str(self._send("/v3/events?after=latest", "next")["next"])

    def events(
        self, *, after: str | None = None, types: Sequence[V3EventType] | None = None,
        passport: Key | None = None, follow: bool = False,
    ) -> Iterator[V3Event]:
        """Changes of passports and of the rule set, oldest first. With `follow`, waits for new events and reconnects;
        otherwise, the last event ends the iteration. May raise a `CursorExpiredError`."""
        filters = {"types": types, "passport": passport}
        for items, after, _ in self._read_events(after, filters):
            yield from items
        if follow:
            yield from self._follow(lambda last: to_path(last, filters), after)

    def _read_events(self, after: str | None, filters: dict[str, Any]) -> Iterator[tuple[Any, str, bool]]:
        """The pages until the end of the event log: events, the cursor after them, and whether the end is reached."""
        is_current = False
        while not is_current:
            page = self._send(to_path(after, filters, 1000), "items")
            # An empty page is not always the last one: the filter can remove all events of a page.
            is_current = page["next"] == after
            after = page["next"]
            yield page["items"], page["next"], is_current

    def copy(
        self, *, after: str | None = None, follow: bool = False, include: Includes = (), select: Fields | None = None
    ) -> Iterator[V3Change]:
        """All passports, then their changes: the steps of a copy that stays up to date. `after` is the cursor of a
        checkpoint. The copy begins again if events after the cursor were deleted."""
        check({"select": select})
        fields = {"include": include, "select": None if select is None else [*select, "passport_id"]}
        while True:
            try:
                return (yield from self._copy_after(after, follow, fields))
            except CursorExpiredError:
                after = None

    def _copy_after(self, after: str | None, follow: bool, fields: dict[str, Any]) -> Iterator[V3Change]:
        """While the list is read, the cursor of a checkpoint is that of the events, `~`, and that of the list."""
        if after is None:
            yield {"type": "start"}
            after = self.cursor() + "~"
        cursor, is_listing, position = after.partition("~")
        while is_listing:
            page = self.page(**fields, after=cursor, limit=largest_page(fields), cursor=position or None)
            for passport in page["items"]:
                yield {"type": "put", "passport": passport}
            is_listing, position = ("", "") if page["next"] is None else ("~", page["next"])
            yield {"type": "checkpoint", "cursor": cursor + is_listing + position, "is_current": False}
        while True:
            for items, cursor, is_current in self._read_events(cursor, {}):
                yield from self._read_changed(items, fields)
                yield {"type": "checkpoint", "cursor": cursor, "is_current": is_current}
            if not follow:
                return
            # The stream only says that there are new events. They are read in pages, so that a lookup has many keys.
            with closing(self._follow(lambda last: to_path(last, {}), cursor)) as stream:
                next(stream)

    def _read_changed(self, events: Sequence[V3Event], fields: dict[str, Any]) -> Iterator[V3Change]:
        """Yields the passports of the events as they are now."""
        keys = [*dict.fromkeys(event["subject"] for event in events if "subject" in event)]
        for at in range(0, len(keys), largest_page(fields)):
            found: dict[int, V3Passport] = {}
            # Deletions come first, because a passport may have the wallets of another one that was merged into it.
            for item in self.lookup(keys[at : at + largest_page(fields)], **fields)["items"]:
                key = int(item["key"])
                if "passport" not in item:
                    yield {"type": "delete", "id": key}
                    continue
                survivor = item["passport"]["passport_id"]
                if survivor != key:
                    yield {"type": "delete", "id": key, "merged_into": survivor}
                found[survivor] = item["passport"]
            for passport in found.values():
                yield {"type": "put", "passport": passport}
