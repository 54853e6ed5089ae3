import base64
import hmac
import json
import time
from collections.abc import Mapping
from typing import cast

from .types import V3Event

LONGEST_AGE = 300

# A rotation makes two signatures of each version.
MOST_SIGNATURES = 20


class WebhookError(Exception):
    """A request that `verify_webhook` refuses: respond with 400."""


def verify_webhook(headers: Mapping[str, str], body: bytes | str, secret: str) -> V3Event:
    """Returns the event of a webhook request. `body` is the body as it was received, and `secret` (`whsec_...`) is that of
    the subscription. Raises a `WebhookError` unless a `v1` signature is valid and at most five minutes old."""
    key = parse_secret(secret)
    values = {name.lower(): value for name, value in headers.items()}
    for name in ("webhook-id", "webhook-timestamp", "webhook-signature"):
        if not values.get(name):
            raise WebhookError(f"The request has no header {name}.")
    timestamp = values["webhook-timestamp"]
    is_number = timestamp.isascii() and timestamp.isdecimal() and len(timestamp) <= 12
    if not is_number or abs(time.time() - int(timestamp)) > LONGEST_AGE:
        accepted = f"at most {LONGEST_AGE} seconds from now"
        raise WebhookError(f"webhook-timestamp must be {accepted}, got {timestamp[:20]!r}: check the clock.")
    data = body.encode() if isinstance(body, str) else body
    digest = hmac.digest(key, f"{values['webhook-id']}.{timestamp}.".encode() + data, "sha256")
    expected = b"v1," + base64.b64encode(digest)
    signatures = values["webhook-signature"].split(" ")[:MOST_SIGNATURES]
    if not any(hmac.compare_digest(expected, each.encode()) for each in signatures):
        raise WebhookError("No v1 signature of the request is valid for this secret.")
    try:
        return cast(V3Event, json.loads(data))
    except ValueError as error:
        raise WebhookError("The body is not JSON.") from error


def parse_secret(secret: str) -> bytes:
    """The message must not contain the secret."""
    try:
        key = base64.b64decode(secret.strip().removeprefix("whsec_"), validate=True)
    except ValueError:
        key = b""
    if not secret.strip().startswith("whsec_") or not key:
        raise ValueError("secret must be the secret of a subscription, which begins with whsec_.")
    return key
