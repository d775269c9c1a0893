"""What must hold for a release: a constructor for every criterion."""

from ._members import fill

fill(globals(), "criteria")
