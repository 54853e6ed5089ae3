"""Checks of arguments that would become another request. The service refuses other invalid values."""

from collections.abc import Mapping
from datetime import datetime, timezone
from typing import Any, get_args
from urllib.parse import quote, urlencode

from .types import V3Include


def invalid(name: str, accepted: str, value: object) -> ValueError:
    return ValueError(f"{name} must be {accepted}, got {repr(value)[:100]}.")


def check(values: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the values as they are sent, without those that are None. Parameters have their names in the API."""
    sent: dict[str, Any] = {}
    for name, value in values.items():
        if value is None or (name == "include" and len(value) == 0):
            continue
        if name in ("include", "select", "types") and isinstance(value, str):
            raise invalid(name, "a list of names", value)
        if isinstance(value, datetime):
            if value.tzinfo is None:
                raise invalid(name, "a datetime with a timezone, or a text", value)
            value = value.astimezone(timezone.utc).isoformat(timespec="milliseconds")
        sent[name] = check_key(value) if name == "passport" else value
    return sent


def check_key(key: object) -> str:
    """An empty key would request the list."""
    text = str(key).strip()
    if isinstance(key, bool) or not isinstance(key, (int, str)) or text == "":
        raise invalid("A key", "a passport id, a wallet or, in v3, a handle such as github:zoe", key)
    return text


def largest_page(values: Mapping[str, Any]) -> int:
    """A page with included parts or changes has at most 50 passports."""
    paths = [*values["include"], *(values["select"] or ())]
    return 50 if values.get("since") is not None or any(path.split(".")[0] in get_args(V3Include) for path in paths) else 250


def to_segment(key: object) -> str:
    return quote(check_key(key), safe="")


def to_query(values: Mapping[str, Any]) -> str:
    sent = check(values).items()
    query = urlencode({name: value if isinstance(value, (str, int)) else ",".join(value) for name, value in sent})
    return query and "?" + query
