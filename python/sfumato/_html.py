"""How results look in a notebook: the report's own colours, light and dark, and pictures without a plotting library."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

_STYLE = """<style>
.sfumato { --text: var(--jp-content-font-color1, #1e2327);
  --soft: #565f66; --line: #d9d5cb; --accent: #0d5a6b; --warn: #9c2b1f;
  font: 14px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; color: var(--text); max-width: 70rem; }
@media (prefers-color-scheme: dark) { body:not([data-jp-theme-light]) .sfumato { --text: #e6e8ea; --soft: #a8b1b8;
  --line: #3a4248; --accent: #74c6d6; --warn: #ff9d8e; } }
body[data-jp-theme-light="false"] .sfumato { --soft: #a8b1b8; --line: #3a4248; --accent: #74c6d6; --warn: #ff9d8e; }
.sfumato p { margin: .4rem 0; }
.sfumato .lead { font-size: 1.15rem; }
.sfumato .soft { color: var(--soft); }
.sfumato .good { color: var(--accent); font-weight: 600; }
.sfumato .bad { color: var(--warn); font-weight: 600; }
.sfumato .scroll { overflow-x: auto; }
.sfumato table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: .4rem 0; }
.sfumato th, .sfumato td { text-align: left; padding: .25rem 1rem .25rem 0; border-top: 1px solid var(--line);
  vertical-align: top; background: none; }
.sfumato th { color: var(--soft); font-weight: 600; border-top: none; }
.sfumato caption { caption-side: bottom; text-align: left; color: var(--soft); padding-top: .3rem; }
.sfumato svg text { fill: var(--text); font: 12px system-ui, sans-serif; }
.sfumato svg .bar { fill: var(--accent); }
.sfumato svg .track { fill: none; stroke: var(--line); }
</style>"""


class Html(str):
    """Text that is HTML already."""


def page(*parts: str) -> str:
    """Put parts into one block with the style."""
    return f'{_STYLE}<div class="sfumato">{"".join(parts)}</div>'


def cell(value: Any) -> str:
    """Write a value, unless it is HTML already."""
    return str(value) if isinstance(value, Html) else escape(number(value))


def number(value: Any) -> str:
    """Write a number as people read it."""
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "–"}[value]
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.4g}"
    return str(value)


def table(header: Sequence[str], rows: Iterable[Sequence[Any]], caption: str = "") -> str:
    """Draw a table."""
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in header)
    body = "".join("<tr>" + "".join(f"<td>{cell(value)}</td>" for value in row) + "</tr>" for row in rows)
    said = f"<caption>{escape(caption)}</caption>" if caption else ""
    return f'<div class="scroll"><table>{said}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def mark(holds: bool | None) -> Html:
    """Draw a tick, a cross, or a dash where nothing can be said."""
    words = {True: ("good", "✓"), False: ("bad", "✗"), None: ("soft", "–")}
    kind, sign = words[holds]
    return Html(f'<span class="{kind}">{sign}</span>')


def lead(text: str, holds: bool | None = None) -> str:
    """Say the main thing."""
    sign = f"{mark(holds)} " if holds is not None else ""
    return f'<p class="lead">{sign}{escape(text)}</p>'


def soft(text: str) -> str:
    """Say something besides."""
    return f'<p class="soft">{escape(text)}</p>'


def bars(title: str, shares: Sequence[tuple[str, float]]) -> str:
    """Draw shares between 0 and 1 as bars."""
    left, width, step = 150, 300, 24
    height = step * len(shares) + 6
    parts = [f'<svg role="img" aria-label="{escape(title)}" width="{left + width + 70}" height="{height}">']
    for at, (name, share) in enumerate(shares):
        top = at * step + 4
        kept = max(0.0, min(1.0, share))
        short = name if len(name) <= 20 else name[:19] + "…"  # noqa: PLR2004
        parts.append(
            f'<text x="{left - 8}" y="{top + 12}" text-anchor="end">{escape(short)}</text>'
            f'<rect class="track" x="{left}" y="{top}" width="{width}" height="16"/>'
            f'<rect class="bar" x="{left}" y="{top}" width="{width * kept:.1f}" height="16"/>'
            f'<text x="{left + width + 8}" y="{top + 12}">{100 * share:.1f} %</text>'
        )
    return f'<p class="soft">{escape(title)}</p>' + "".join(parts) + "</svg>"


def frame(document: str, height: int = 640) -> str:
    """Show a whole page inside of a notebook, kept apart from it."""
    return (
        f'<iframe srcdoc="{escape(document, quote=True)}" sandbox="" '
        f'style="width:100%;height:{height}px;border:1px solid #d9d5cb"></iframe>'
    )


class Page:
    """A page of its own: shown in a notebook, and saved to a file."""

    def __init__(self, text: str) -> None:
        #: The page's text.
        self.html = text

    def save(self, path: str) -> None:
        """Write the page to a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.html)

    def __repr__(self) -> str:
        return f"<sfumato page, {len(self.html):,} characters: .save(path), or look at it in a notebook>"

    def _repr_html_(self) -> str:
        return frame(self.html)
