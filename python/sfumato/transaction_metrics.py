"""The same as ``sfumato.metrics``, for sets of items."""

from ._members import fill

fill(globals(), "transaction-metrics")
