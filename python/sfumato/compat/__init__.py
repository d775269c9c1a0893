"""sfumato in the shape of other libraries, so that moving is one import.

``sfumato.compat.pycanon`` has the functions of ``pycanon.anonymity`` and ``pycanon.report``;
``sfumato.compat.anjana`` those of ``anjana.anonymity``. Names, parameters and types of results are theirs; all numbers
are those of ``sfumato.check``, all tables those of ``sfumato.publish``. ``docs/python`` says where figures differ.
"""

from . import anjana, pycanon

__all__ = ["anjana", "pycanon"]
