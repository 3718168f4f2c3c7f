"""The page of an audit: one HTML file that loads nothing and needs nothing."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from html import escape

from glymph.audit.result import CHECKS, MEANING, Audit, Finding, Shown
from glymph.text.controls import remove_controls

MOST_SHOWN = 500  # findings of one check; the rest is counted
_STYLE = """
:root { color-scheme: light dark;
  --ink: #24292e; --soft: #66707a; --line: #d8dde2; --back: #fbfbfa; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e3e6e8; --soft: #98a2ab; --line: #3a4148; --back: #17191c; }
}
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--back);
  max-width: 46rem; margin: 3rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; font-weight: 600; } h2 { font-size: 1.1rem; margin-top: 2.5rem; }
.grade { font-size: 4rem; line-height: 1; font-weight: 300; margin: 1rem 0 0; }
.soft, time { color: var(--soft); font-size: .9rem; }
table { border-collapse: collapse; width: 100%; } td { padding: .25rem 0; vertical-align: top; }
td:last-child { text-align: right; font-variant-numeric: tabular-nums; }
ul { list-style: none; padding: 0; } li { border-top: 1px solid var(--line); padding: .6rem 0; }
li p { margin: 0; overflow-wrap: anywhere; } li p + p { color: var(--soft); }
"""


def render_page(audit: Audit, at: datetime) -> str:
    """Returns the page; every text in it is escaped."""
    return "\n".join(_render(audit, at)) + "\n"


def _render(audit: Audit, at: datetime) -> Iterator[str]:
    title = f"Memory audit of {_text(audit.source)}"
    yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">'
    yield (
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        "style-src 'unsafe-inline'\">"
    )
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>"
    yield f"<h1>{title}</h1>"
    yield f'<p class="grade">{_text(audit.grade)}</p>'
    yield (
        f'<p class="soft">{audit.flawed:,} of {audit.memories:,} memories are a burden '
        f"({_text(audit.kind)}, {at.date().isoformat()}).</p>"
    )
    yield "<table>"
    for check in CHECKS:
        row = f"<td>{check}</td><td>{_text(MEANING[check])}</td><td>{audit.counts[check]:,}</td>"
        yield f"<tr>{row}</tr>"
    yield "</table>"
    for lacking in audit.unjudged:
        yield f'<p class="soft">Not judged: {_text(lacking)}</p>'
    for check in CHECKS:
        yield from _render_check(check, [one for one in audit.findings if one.check == check])
    yield f'<h2>How the grade is found</h2>\n<p class="soft">{_text(audit.rule)}</p>'
    yield "</body>\n</html>"


def _render_check(check: str, findings: list[Finding]) -> Iterator[str]:
    if not findings:
        return
    yield f"<h2>{check} ({len(findings):,})</h2>\n<ul>"
    for one in findings[:MOST_SHOWN]:
        texts = "".join(f"<p>{_memory(shown)}</p>" for shown in one.memories)
        sure = "" if one.sure >= 1 else f" ({one.sure:.0%} sure)"
        yield f'<li>{texts}<p class="soft">{_text(one.reason)}{sure}</p></li>'
    yield "</ul>"
    if len(findings) > MOST_SHOWN:
        yield f'<p class="soft">… and {len(findings) - MOST_SHOWN:,} more</p>'


def _memory(shown: Shown) -> str:
    when = f" <time>{shown.at.date().isoformat()}</time>" if shown.at is not None else ""
    return f"{_text(shown.text)}{when}"


def _text(text: str) -> str:
    return escape(remove_controls(text))
