from .client import Client as Client
from .errors import CursorExpiredError as CursorExpiredError
from .errors import PassportError as PassportError
from .webhooks import WebhookError as WebhookError
from .webhooks import verify_webhook as verify_webhook
