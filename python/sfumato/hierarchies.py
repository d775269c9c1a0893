"""How values are made coarser: a constructor for every kind of hierarchy."""

from ._members import fill

fill(globals(), "hierarchies")
