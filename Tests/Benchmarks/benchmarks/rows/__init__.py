"""The rows of the table, a file for each group."""

from . import creates, exports, growth, listings, program, server
from .row import Row

ALL: list[Row] = [
    *listings.ROWS,
    *creates.ROWS,
    *exports.ROWS,
    *server.ROWS,
    *program.ROWS,
    *growth.ROWS,
]
