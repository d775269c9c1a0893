"""The same as ``sfumato.methods``, for sets of items."""

from ._members import fill

fill(globals(), "transaction-methods")
