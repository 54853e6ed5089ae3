from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(eq=False)
class PassportError(Exception):
    """`code` is a code of the service, or `timeout`, `network` or `invalid_answer`."""

    code: str
    message: str
    status: int | None = None
    """None without a response."""
    request_id: str | None = None
    retry_after: float | None = None
    """In seconds."""
    errors: Sequence[Mapping[str, str]] = ()
    """The invalid values of a request to v3: `pointer` and `detail` of each."""
    members: Mapping[str, Any] = field(default_factory=dict)
    """Further fields of a v3 error, such as `candidates` of `ambiguous`."""

    def __str__(self) -> str:
        return self.message


class CursorExpiredError(PassportError):
    """Some events after the cursor are not available. Read the passports again."""

    @property
    def oldest_cursor(self) -> str:
        return str(self.members.get("oldest_cursor", ""))
