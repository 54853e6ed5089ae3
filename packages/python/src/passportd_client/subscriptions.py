from typing import Any, cast

from .check import to_segment
from .transport import Transport
from .types import V3Subscription, V3SubscriptionPatch, V3SubscriptionRequest


class Subscriptions:
    """Webhooks of the key; it needs the scope `events`."""

    def __init__(self, transport: Transport) -> None:
        self._send = transport.send

    def create(self, request: V3SubscriptionRequest) -> V3Subscription:
        """Only the results of `create` and `rotate` have a `secret`. Not retried, because each request creates a webhook."""
        return self._call("", request, is_once=True)

    def list(self) -> "list[V3Subscription]":
        """Oldest first."""
        return cast("list[V3Subscription]", self._send("/v3/subscriptions", "items")["items"])

    def get(self, id: str) -> V3Subscription:
        return self._call(f"/{to_segment(id)}")

    def change(self, id: str, patch: V3SubscriptionPatch) -> V3Subscription:
        """Pauses, resumes, replays or changes the webhook. Returns its new state."""
        return self._call(f"/{to_segment(id)}", patch, method="PATCH")

    def rotate(self, id: str) -> V3Subscription:
        """The result has the new `secret`. For 24 hours, events are also signed with the old one. Not retried."""
        return self._call(f"/{to_segment(id)}/rotate", method="POST", is_once=True)

    def remove(self, id: str) -> V3Subscription:
        """Returns the last state."""
        return self._call(f"/{to_segment(id)}", method="DELETE")

    def _call(self, path: str, body: object = None, **options: Any) -> V3Subscription:
        return cast(V3Subscription, self._send(f"/v3/subscriptions{path}", "id", body, **options))
