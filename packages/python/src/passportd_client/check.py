"""Checks of arguments, before a request is sent. Parameters have their names in the API."""

import re
from collections.abc import Mapping
from datetime import datetime, timezone
from difflib import get_close_matches
from typing import Any, get_args
from urllib.parse import quote, urlencode

from .types import V3EventType, V3Field, V3GroupBy, V3Include, V3Sort

LISTS = {"include": get_args(V3Include), "select": get_args(V3Field), "types": get_args(V3EventType)}
CHOICES = {"sort": get_args(V3Sort), "group_by": get_args(V3GroupBy)}
TIME = r"\d{4}-\d\d-\d\d(?:[Tt ].*(?:[Zz]|[+-]\d\d:?\d\d))?"


def invalid(name: str, accepted: str, value: object) -> ValueError:
    return ValueError(f"{name} must be {accepted}, got {repr(value)[:100]}.")


def check(values: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the values as they are sent, without those that are None."""
    most = {"page": 10**9, "per_page": 250, "limit": largest_page(values)}
    sent: dict[str, Any] = {}
    for name, value in values.items():
        if value is None or (name == "include" and len(value) == 0):
            continue
        if name in LISTS:
            wrong = [value] if isinstance(value, str) else [each for each in value if each not in LISTS[name]]
            if wrong or len(value) == 0:
                near = get_close_matches(str(wrong), LISTS[name]) or LISTS[name][:10]
                raise invalid(name, f"a list of names such as {', '.join(near)}", value)
            value = list(value)
        elif name in CHOICES and value not in CHOICES[name]:
            raise invalid(name, f"one of {', '.join(CHOICES[name])}", value)
        elif name in most and (type(value) is not int or not 1 <= value <= most[name]):
            raise invalid(name, f"a whole number from 1 to {most[name]}", value)
        elif name in ("as_of", "from", "to"):
            value = check_time(name, value)
        elif name == "passport":
            value = check_key(value)
        elif name in ("q", "filter", "keyword", "after", "cursor") and not isinstance(value, str):
            raise invalid(name, "a text", value)
        sent[name] = value
    return sent


def check_time(name: str, value: object) -> str:
    if isinstance(value, datetime) and value.tzinfo:
        return value.astimezone(timezone.utc).isoformat(timespec="milliseconds")
    if isinstance(value, str) and re.fullmatch(TIME, value):
        return value
    raise invalid(name, "a datetime with a timezone, a day such as 2026-10-01, or a time with its offset", value)


def check_key(key: object) -> str:
    """An empty key would request the list."""
    text = str(key).strip()
    if isinstance(key, bool) or not isinstance(key, (int, str)) or text == "":
        raise invalid("A key", "a passport id, a wallet or, in v3, a handle such as github:zoe", key)
    return text


def largest_page(values: Mapping[str, Any]) -> int:
    """A page has at most 1,000 events, or 250 passports, or 50 with included parts."""
    if "after" in values:
        return 1000
    paths = [*values.get("include", ()), *(values.get("select") or ())]
    return 50 if any(path.split(".")[0] in LISTS["include"] for path in paths) else 250


def to_segment(key: object) -> str:
    return quote(check_key(key), safe="")


def to_query(values: Mapping[str, Any]) -> str:
    sent = check(values).items()
    query = urlencode({name: ",".join(value) if isinstance(value, list) else value for name, value in sent})
    return query and "?" + query
