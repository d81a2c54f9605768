"""The rows of the table, a file for each group."""

from . import creates, exports, growth, listings, program, server, shared
from .row import Row

ALL: list[Row] = [
    *listings.ROWS,
    *creates.ROWS,
    *exports.ROWS,
    *server.ROWS,
    *program.ROWS,
    *shared.ROWS,
    *growth.ROWS,
]
