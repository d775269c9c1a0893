//! How reports look: on screens light and dark, wide and narrow, and on paper.

/// The one style sheet. Accent and warning colours have a contrast of at least 4.5 to the page in
/// both schemes, and never carry a meaning alone.
pub(super) const CSS: &str = r#"
:root { color-scheme: light dark; --page: #fdfcfa; --card: #f5f3ee; --text: #1e2327; --soft: #565f66; --line: #d9d5cb;
  --accent: #0d5a6b; --warn: #9c2b1f; }
@media (prefers-color-scheme: dark) {
  :root { --page: #15191c; --card: #1d2327; --text: #e6e8ea; --soft: #a8b1b8; --line: #3a4248; --accent: #74c6d6; --warn: #ff9d8e; }
}
* { box-sizing: border-box; }
html { font: 100%/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--page); color: var(--text); overflow-wrap: break-word; }
main, header.top, footer { max-width: 70rem; margin: 0 auto; padding: 0 clamp(1rem, 4vw, 3rem); }
header.top { padding-top: 3.5rem; }
h1 { font-size: 1rem; font-weight: 600; color: var(--soft); margin: 0 0 1rem; overflow-wrap: anywhere; }
h2 { font-size: 1.5rem; line-height: 1.25; font-weight: 600; letter-spacing: -.01em; margin: 4.5rem 0 .5rem; padding-top: 1.25rem; border-top: 1px solid var(--line); }
h3 { font-size: 1.05rem; line-height: 1.4; font-weight: 600; margin: 0; overflow-wrap: anywhere; }
p { margin: .5rem 0; max-width: 44rem; }
.lead { color: var(--soft); }
.verdict { font-size: clamp(1.4rem, 3.4vw, 2.1rem); line-height: 1.3; letter-spacing: -.015em; font-weight: 500; max-width: 52rem; margin: 0 0 2.5rem; }
h1 + .lead { margin: -.75rem 0 1rem; }
.question h2 { font-size: 1.2rem; margin-top: 2rem; }
.question .numbers { margin-top: 1.25rem; }
.verdict .sign { color: var(--accent); }
.verdict.bad .sign { color: var(--warn); }
.internal-banner { background: var(--warn); color: var(--page); font-weight: 700; letter-spacing: .04em; text-align: center; padding: .6rem 1rem; position: sticky; top: 0; z-index: 1; }
.internal-banner span { font-weight: 400; letter-spacing: 0; display: block; font-size: .875rem; }
.internal-edge { display: none; }
dl { margin: 0; }
dd { margin: 0; }
.numbers { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 17rem), 1fr)); gap: 0 2.5rem; }
.numbers > div { border-top: 1px solid var(--line); padding: 1.1rem 0 1.5rem; }
.numbers dt { color: var(--soft); font-size: .875rem; }
.numbers dd.big { font-size: 1.75rem; line-height: 1.25; font-weight: 600; font-variant-numeric: tabular-nums; letter-spacing: -.02em; margin: .15rem 0 .35rem; }
.numbers dd.what { max-width: 44rem; font-size: .8125rem; line-height: 1.45; color: var(--soft); }
.card { background: var(--card); border-left: 3px solid var(--accent); padding: 1.25rem 1.5rem 1.35rem; margin: 1.25rem 0; }
.card.bad { border-left-color: var(--warn); }
.card-head { display: flex; flex-wrap: wrap; gap: .25rem 1rem; align-items: baseline; justify-content: space-between; }
.badge { font-weight: 600; color: var(--accent); white-space: nowrap; }
.badge.bad { color: var(--warn); }
.badge.none { color: var(--soft); font-weight: 400; }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 9.5rem), 1fr)); gap: .9rem 1.5rem; margin-top: 1rem; }
.facts dt { color: var(--soft); font-size: .8125rem; }
.facts dd { font-variant-numeric: tabular-nums; font-weight: 600; overflow-wrap: anywhere; }
.pictures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); gap: 1rem 3rem; align-items: start; }
figure { margin: 2rem 0 0; min-width: 0; max-width: 36rem; }
.card figure { margin-top: 1.5rem; }
@media (min-width: 60rem) {
  .card-body.split { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 0 3rem; }
  .card-body.split figure { margin-top: .5rem; }
}
.figure-title { font-weight: 600; margin: 0 0 .5rem; overflow-wrap: anywhere; }
figcaption { color: var(--soft); font-size: .875rem; line-height: 1.5; margin-top: .5rem; }
details { font-size: .875rem; margin-top: .5rem; }
summary { cursor: pointer; color: var(--accent); }
.scroll { overflow-x: auto; }
.scroll:focus-visible, summary:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
svg { display: block; width: 100%; min-width: 23rem; height: auto; font-size: 12.5px; font-family: inherit; }
svg.pattern { position: absolute; width: 0; height: 0; min-width: 0; }
svg text { fill: var(--text); }
svg .small { font-size: 11.5px; fill: var(--soft); font-variant-numeric: tabular-nums; }
svg .name { fill: var(--soft); }
svg .middle { text-anchor: middle; }
svg .end { text-anchor: end; }
svg .mark { font-weight: 600; }
svg .bar { fill: var(--accent); }
svg .before { fill: url(#hatch); stroke: var(--soft); stroke-width: 1; }
svg .hidden { fill: url(#hatch); stroke: var(--soft); stroke-width: 1; stroke-dasharray: 2 2; }
svg .stripe { stroke: var(--soft); stroke-width: 2.2; }
svg .track { fill: none; stroke: var(--line); }
svg .grid { stroke: var(--line); stroke-width: 1; }
svg .axis { stroke: var(--soft); stroke-width: 1; }
svg .limit { stroke: var(--text); stroke-width: 1.5; stroke-dasharray: 5 4; }
svg .point { fill: none; stroke: var(--soft); stroke-width: 1.3; }
svg .chosen { fill: var(--accent); stroke: var(--page); stroke-width: 1.5; }
.legend { color: var(--soft); font-size: .875rem; margin: 0 0 .5rem; }
.legend span + .key { margin-left: 1.25em; }
.key { display: inline-block; width: 1.5em; height: .75em; vertical-align: baseline; margin-right: .35em; border: 1px solid var(--soft); }
.key.after { background: var(--accent); border-color: var(--accent); }
.key.before { background: repeating-linear-gradient(135deg, var(--soft) 0 2px, transparent 2px 5px); }
table { border-collapse: collapse; width: 100%; margin: 1rem 0; font-size: .9375rem; line-height: 1.45; }
details table { width: auto; font-size: .875rem; }
th, td { text-align: left; vertical-align: top; padding: .55rem 1.5rem .55rem 0; border-bottom: 1px solid var(--line); font-weight: 400; }
th[scope="row"] { overflow-wrap: anywhere; min-width: 8rem; }
td.wide { min-width: 15rem; }
thead th { color: var(--soft); font-size: .8125rem; border-bottom-color: var(--soft); white-space: nowrap; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.words-only .number { text-align: left; }
.side td { white-space: normal; min-width: 7rem; }
.side thead th { white-space: normal; overflow-wrap: anywhere; }
.side th:first-child { position: sticky; left: 0; background: var(--page); min-width: 9rem; }
.side small { display: block; color: var(--soft); font-weight: 400; }
tbody.part th[colspan] { padding-top: 1.75rem; font-weight: 600; color: var(--accent); }
.best { font-weight: 700; }
.best b::after { content: " ★"; color: var(--accent); }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
ul.plain { padding-left: 1.1rem; max-width: 46rem; }
ul.plain li { margin: .7rem 0; }
.words dt { font-weight: 600; margin-top: 1rem; }
.words dd { max-width: 44rem; color: var(--soft); }
footer { color: var(--soft); font-size: .875rem; padding-top: 4rem; padding-bottom: 4rem; }
@media (max-width: 30rem) {
  header.top { padding-top: 2rem; }
  h2 { margin-top: 3rem; }
  .card { padding: 1rem 1rem 1.1rem; }
  th, td { padding-right: 1rem; }
}
@page { size: A4; margin: 18mm 16mm 18mm 16mm; }
@media print {
  :root { color-scheme: light; --page: #fff; --card: #fff; --text: #000; --soft: #444; --line: #bbb; --accent: #0d5a6b; --warn: #9c2b1f; }
  html { font-size: 10pt; }
  main, header.top, footer { max-width: none; padding: 0; }
  header.top { padding-top: 0; }
  body.internal { padding-right: 9mm; }
  .internal-banner { position: static; background: none; color: var(--warn); border: 2px solid var(--warn); margin-bottom: 1.5rem; }
  .internal-edge { display: block; position: fixed; top: 0; right: 0; writing-mode: vertical-rl; color: var(--warn); font-weight: 700; letter-spacing: .08em; font-size: 9pt; }
  h2 { margin-top: 2rem; break-after: avoid; }
  h3, dt, .figure-title, .card-head { break-after: avoid; }
  .numbers { grid-template-columns: 1fr 1fr 1fr; }
  .card-body.split { display: grid; grid-template-columns: 1fr 1fr; gap: 0 8mm; }
  .numbers > div, tr, li, figure, .facts > div { break-inside: avoid; }
  .card { border: 1px solid var(--line); border-left: 3px solid var(--accent); }
  .pictures { grid-template-columns: 1fr 1fr; gap: 0 8mm; }
  .scroll { overflow: visible; }
  svg { min-width: 0; }
  svg .bar, svg .chosen, .key { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  summary { display: none; }
}
"#;
