"""How groups are formed: a constructor for every method."""

from ._members import fill

fill(globals(), "methods")
