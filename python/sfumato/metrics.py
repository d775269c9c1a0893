"""What a release is still worth: a constructor for every metric."""

from ._members import fill

fill(globals(), "metrics")
