from collections.abc import Iterator
from typing import cast

from .check import to_query, to_segment
from .transport import Transport
from .types import Credential, ListedPassport, Passport, PassportListBody
from .v3 import V3


class Client:
    """A client for the passport API. `passports` and `credentials` use V1, `v3` uses v3."""

    def __init__(
        self, base_url: str, api_key: str | None = None, *, timeout: float = 10, retries: int = 2, longest_wait: float = 30
    ) -> None:
        """Times are in seconds. If Retry-After is longer than `longest_wait`, the error is raised at once."""
        transport = Transport(base_url, api_key, timeout, retries, longest_wait)
        self.passports = Passports(transport)
        self.credentials = Credentials(transport)
        self.v3 = V3(transport)


class Passports:
    def __init__(self, transport: Transport) -> None:
        self._send = transport.send

    def list(self, *, keyword: str | None = None, per_page: int = 250) -> Iterator[ListedPassport]:
        """Yields all matches, best score first. Fetches pages on demand; the list can change between pages."""
        number, last = 0, 1
        while number < last:
            number += 1
            page = self.page(page=number, per_page=per_page, keyword=keyword)
            yield from page["passports"]
            last = page["pagination"]["last_page"]

    def page(
        self, *, page: int | None = None, per_page: int | None = None, keyword: str | None = None
    ) -> PassportListBody:
        query = to_query({"page": page, "per_page": per_page, "keyword": keyword})
        return cast(PassportListBody, self._send(f"/v1/passports{query}", "passports"))

    def get(self, id_or_wallet: int | str) -> Passport:
        """Raises `not_found` if there is no such passport."""
        return cast(Passport, self._send(f"/v1/passports/{to_segment(id_or_wallet)}", "passport")["passport"])


class Credentials:
    def __init__(self, transport: Transport) -> None:
        self._send = transport.send

    def list(self, id_or_wallet: int | str) -> list[Credential]:
        """Returns the credentials, best score first. Raises `not_found` if there is no such passport."""
        path = f"/v1/passport_credentials?passport_id={to_segment(id_or_wallet)}"
        return cast("list[Credential]", self._send(path, "passport_credentials")["passport_credentials"])
