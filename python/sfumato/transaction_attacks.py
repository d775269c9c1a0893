"""The same as ``sfumato.attacks``, for sets of items."""

from ._members import fill

fill(globals(), "transaction-attacks")
