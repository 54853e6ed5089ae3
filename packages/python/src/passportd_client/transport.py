import json
import math
import random
import re
import time
import urllib.request
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from http.client import HTTPException, HTTPResponse, IncompleteRead
from itertools import count
from typing import Any, cast

from .check import invalid
from .errors import CursorExpiredError, PassportError

FIRST_DELAY = 0.25

# The service sends a comment every 15 seconds, so a stream that is silent for this time is broken.
SILENCE = 45.0

KNOWN_MEMBERS = ("type", "title", "status", "detail", "error", "code", "request_id", "errors")


class Transport:
    """Sends requests with the API key, a timeout and retries. Paths begin with the version."""

    def __init__(self, base_url: str, api_key: str | None, timeout: float, retries: float, longest_wait: float) -> None:
        if not re.fullmatch(r"https?://[^\s/?#@]+(/[!$->@-~]*)?", base_url):
            raise invalid("base_url", "a URL such as https://host", base_url)
        key = (api_key or "").strip()
        if not re.fullmatch(r"[\x20-\x7e]*", key):
            raise ValueError("api_key contains a character that is not printable ASCII.")
        self._base = base_url.rstrip("/") + "/api"
        self._headers = {"User-Agent": "passportd-client-python", **({"X-API-KEY": key} if key else {})}
        self._timeout, self._retries, self._longest_wait = timeout, retries, longest_wait
        # Without the default handlers, redirects are not followed: the key must not reach another host.
        self._opener = urllib.request.OpenerDirector()
        for handler in (urllib.request.ProxyHandler, urllib.request.HTTPHandler, urllib.request.HTTPSHandler):
            self._opener.add_handler(handler())

    def send(
        self, path: str, field: str, body: object = None, *, method: str | None = None, is_once: bool = False
    ) -> Any:
        """Returns the parsed body of a successful response, which must have the field `field`. `is_once`: sending the
        request twice has another effect than sending it once, so it is not retried."""
        for failures in count():
            try:
                with self._open(path, "application/json", self._timeout, body, method) as response:
                    return parse_body(read_text(response, self._timeout), field)
            except PassportError as error:
                self._wait_after(error, failures, 0 if is_once else self._retries)

    def follow(self, path_after: Callable[[str | None], str], after: str | None) -> Generator[Any, None, None]:
        """Yields the data of server-sent events. Reconnects, and continues after the last event."""
        failures, most = 0, self._retries
        while True:
            try:
                with self._open(path_after(after), "text/event-stream", SILENCE) as response:
                    most = math.inf
                    for event in read_events(response):
                        failures, after = 0, event.get("id", after)
                        if "data" in event:
                            yield parse_body(event["data"], "specversion")
                raise PassportError("network", "The connection was closed.")
            except PassportError as error:
                self._wait_after(error, failures, most)
            failures += 1

    def _open(
        self, path: str, accept: str, timeout: float, body: object = None, method: str | None = None
    ) -> HTTPResponse:
        """The method is POST if there is a body, otherwise GET."""
        headers = {**self._headers, "Accept": accept, "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self._base + path, data, headers, method=method)
        with network_errors():
            response = cast(HTTPResponse, self._opener.open(request, timeout=timeout))
        if response.status in (200, 201) and response.headers.get("Content-Type", "").startswith(accept):
            return response
        with response:
            raise to_error(response, read_text(response, self._timeout))

    def _wait_after(self, error: PassportError, failures: int, most: float) -> None:
        """Waits for the next attempt. Raises the error if it is permanent, or after `most` failures."""
        wait = error.retry_after or 0.0
        # A Retry-After of 0 must not make a loop without pauses.
        if wait == 0:
            # The delay has jitter, so that clients that failed together do not retry together.
            wait = min(FIRST_DELAY * 2 ** min(failures, 30), self._longest_wait) * random.uniform(0.5, 1)
        if not is_temporary(error) or failures >= most or wait > self._longest_wait:
            raise error
        time.sleep(wait)


def is_temporary(error: PassportError) -> bool:
    return error.code != "invalid_answer" if error.status is None else error.status >= 500 or error.status == 429


@contextmanager
def network_errors() -> Iterator[None]:
    try:
        yield
    except (OSError, HTTPException) as error:
        reason = getattr(error, "reason", error)
        if isinstance(reason, TimeoutError):
            raise PassportError("timeout", "The service did not respond in time.") from error
        raise PassportError("network", f"The service could not be reached: {reason!r}") from error


def read_text(response: HTTPResponse, timeout: float) -> str:
    """The timeout of the socket is for each read, and this one is for the whole body."""
    deadline = time.monotonic() + timeout
    body = bytearray()
    with network_errors():
        while part := response.read1(65536):
            body += part
            if time.monotonic() > deadline:
                raise TimeoutError
        if response.length:
            raise IncompleteRead(b"", response.length)
    return body.decode(errors="replace")


def read_events(response: HTTPResponse) -> Iterator[dict[str, str]]:
    """Yields the fields of each complete event. The service sends the data on one line."""
    fields: dict[str, str] = {}
    while True:
        with network_errors():
            # A lost connection can end in the middle of a character.
            line = response.readline().decode(errors="replace")
        name, _, value = line.rstrip("\r\n").partition(":")
        if not line:
            return
        if line.strip():
            fields[name] = value.removeprefix(" ")
        else:
            yield fields
            fields = {}


def parse_body(text: str, field: str) -> Any:
    body = parse_json(text)
    if field in body:
        return body
    raise PassportError("invalid_answer", f'The response has no "{field}": check that base_url is that of the service.')


def to_error(response: HTTPResponse, text: str) -> PassportError:
    """V1 has the message in `error`, v3 in `detail`."""
    body = parse_json(text)
    status, headers, code = response.status, response.headers, body.get("code")
    request_id = body.get("request_id", headers.get("X-Request-Id"))
    seconds = headers.get("Retry-After", "")
    retry_after = float(seconds) if seconds.isdecimal() else None
    message = body.get("error", body.get("detail"))
    if not isinstance(code, str) or not isinstance(message, str):
        problem = f"A response of status {status} is not from the service: check base_url."
        return PassportError("invalid_answer", problem, status, request_id, retry_after)
    members = {name: value for name, value in body.items() if name not in KNOWN_MEMBERS}
    kind = CursorExpiredError if code == "cursor_expired" else PassportError
    return kind(code, message, status, request_id, retry_after, body.get("errors", ()), members)


def parse_json(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
