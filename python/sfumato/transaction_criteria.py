"""The same as ``sfumato.criteria``, for sets of items."""

from ._members import fill

fill(globals(), "transaction-criteria")
