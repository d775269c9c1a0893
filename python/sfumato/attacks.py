"""What is tried on a release: a constructor for every attack."""

from ._members import fill

fill(globals(), "attacks")
