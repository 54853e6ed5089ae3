from .client import Client as Client
from .errors import CursorExpiredError as CursorExpiredError
from .errors import PassportError as PassportError
