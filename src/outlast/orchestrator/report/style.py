"""The style of the HTML report: light and dark, on screen and on paper."""

from __future__ import annotations

from typing import Final

STYLE: Final = """
:root { color-scheme: light dark; --back: #fff; --text: #1f2328; --faint: #59636e; --line: #d1d9e0;
  --box: #f6f8fa; --good: #1a7f37; --bad: #cf222e; --warn: #9a6700; --work: #0969da;
  --call: #8c959f; }
@media (prefers-color-scheme: dark) {
  :root { --back: #0d1117; --text: #e6edf3; --faint: #9198a1; --line: #3d444d; --box: #151b23;
    --good: #3fb950; --bad: #f85149; --warn: #d29922; --work: #58a6ff; --call: #6e7681; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 64rem; padding: 1.5rem 1rem 4rem; background: var(--back);
  color: var(--text); font: 15px/1.5 system-ui, "Noto Sans", "Noto Sans CJK SC", sans-serif;
  overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .5rem; }
h2 { font-size: 1.2rem; margin: 2rem 0 .5rem; border-bottom: 1px solid var(--line); }
h3 { font-size: .9rem; margin: 1rem 0 .25rem; color: var(--faint); font-weight: 600; }
ul { padding-left: 1.25rem; margin: .5rem 0; }
.headline { font-size: 1.1rem; font-weight: 600; padding: .6rem .9rem; margin: 0;
  border-left: .35rem solid var(--warn); background: var(--box); }
.headline.proved { border-color: var(--good); }
.headline.failed, .headline.doubtful { border-color: var(--bad); }
.faint, .legend { color: var(--faint); font-size: .85rem; }
pre { background: var(--box); border: 1px solid var(--line); border-radius: 6px; margin: .25rem 0;
  padding: .6rem .8rem; font: 12.5px/1.45 ui-monospace, monospace; white-space: pre-wrap; }
code { font: 12.5px ui-monospace, monospace; background: var(--box); padding: .1em .3em; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .88rem; }
th, td { text-align: left; vertical-align: top; padding: .35rem .6rem .35rem 0;
  border-bottom: 1px solid var(--line); overflow-wrap: normal; }
th { color: var(--faint); font-weight: 600; white-space: nowrap; }
td:first-child { min-width: 9rem; }
table.attempts td:first-child { min-width: 0; }
details { border: 1px solid var(--line); border-left: .3rem solid var(--call); border-radius: 6px;
  margin: .5rem 0; padding: .4rem .9rem; }
summary { cursor: pointer; }
.failed, .doubtful { border-left-color: var(--bad); }
.unproved, .open, .weak { border-left-color: var(--warn); }
.proved { border-left-color: var(--good); }
.state { color: var(--faint); }
.check { margin: .5rem 0 0; }
.good { color: var(--good); }
.bad { color: var(--bad); }
.none { color: var(--faint); }
svg.timeline { display: block; width: 100%; min-width: 44rem; height: auto; }
svg text { font: 11px system-ui, "Noto Sans", "Noto Sans CJK SC", sans-serif; fill: var(--text); }
svg .tick { text-anchor: middle; fill: var(--faint); font-size: 10px; }
svg .grid { stroke: var(--line); }
svg .cut { fill: var(--box); stroke: var(--line); stroke-dasharray: 2 3; }
svg .bar { fill: var(--work); stroke: var(--back); }
svg .bar.failed { fill: var(--bad); }
svg .bar.lost { fill: var(--back); stroke: var(--bad); stroke-dasharray: 3 2; }
svg .bar.running { fill: var(--back); stroke: var(--work); stroke-width: 2; }
svg .bar.calls { fill: var(--call); }
svg .check circle { fill: var(--good); stroke: var(--back); stroke-width: 1.5; }
svg .check path { stroke: var(--bad); stroke-width: 2.5; }
.legend span { white-space: nowrap; }
.legend svg { width: 1.6rem; height: .9rem; vertical-align: -.1rem; margin: 0 .25rem 0 .9rem; }
@media print { details { break-inside: avoid; } body { max-width: none; } }
"""
