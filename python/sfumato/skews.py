"""Which records are withheld where one value is too frequent: a constructor for every way."""

from ._members import fill

fill(globals(), "skews")
