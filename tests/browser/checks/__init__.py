"""What the page has to do, seen as a user sees it."""

from . import access, charts, copying, families, hostile, kernels, panel, ranks, regions, search, source, state, widths  # noqa: F401 - they add their checks
from .seen import ADVICE, CHECKS, DOCUMENTS, EVERY, PROGRAM, REPORTS, SOURCES, WITH_ADVICE, WITH_SOURCE  # noqa: F401
