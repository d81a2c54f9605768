"""pretix's own settings, and requests that wait while their idempotency key is locked."""
from pretix.settings import *  # noqa: F401, F403

# Behind pretix's middleware, which locks the key.
MIDDLEWARE = [*MIDDLEWARE, "lingering.lingering"]  # noqa: F405
