/** How the page looks, by day and by night. */
export const pageStyle = `
:root {
  color-scheme: light dark;
  --back: #f5f6f8; --card: #fff; --text: #1c2430; --dim: #5b6675; --line: #dfe3e9; --code: #f3f5f8; --link: #1757c2;
  --ok: #1a7f4b; --failed: #c62f2f; --denied: #a85b00; --model: #7d8fb0; --calm: #5b6675;
  --cache-read: #2f9e8f; --cache-write: #7c6fd6; --fresh: #e0a33a; --output: #3b78d8;
}
@media (prefers-color-scheme: dark) {
  :root {
    --back: #12161c; --card: #1a2029; --text: #e3e8ef; --dim: #9aa7b8; --line: #2d3643; --code: #131920; --link: #82b1ff;
    --ok: #4cc38a; --failed: #ff7a76; --denied: #f0a54a; --model: #5f7299; --calm: #9aa7b8;
    --cache-read: #3fb6a5; --cache-write: #9a8df0; --fresh: #e3b25a; --output: #6aa1f5;
  }
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
html { scroll-padding-top: 5rem; }
body { margin: 0 auto; padding: 1.5rem; max-width: 76rem; background: var(--back); color: var(--text); font: 15px/1.5 system-ui, sans-serif; }
a { color: var(--link); }
:focus-visible { outline: 2px solid var(--link); outline-offset: -2px; border-radius: 4px; }
.skip { position: absolute; left: -99rem; }
.skip:focus { position: static; }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1.1rem; margin: 0 0 1rem .25rem; font-size: .85rem; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
h1 { margin: 0; font-size: 1.5rem; display: flex; gap: .6rem; align-items: center; flex-wrap: wrap; }
h1 small { font-size: 1rem; font-weight: 400; color: var(--dim); }
h2 { margin: 0 0 .75rem; font-size: 1.05rem; }
h3 { margin: 0; font-size: 1rem; }
h4, h5 { margin: .75rem 0 .25rem; font-size: .8rem; color: var(--dim); font-weight: 600; }
header, .card, .part { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 1.1rem 1.25rem; margin: 0 0 1rem; }
header { border-top: 4px solid var(--tone); --tone: var(--failed); }
header.completed { --tone: var(--ok); }
header.paused { --tone: var(--link); }
header.stopped { --tone: var(--denied); }
header h2 { margin: 1.1rem 0 .3rem; font-size: .8rem; color: var(--dim); }
.status { color: var(--card); background: var(--tone); border-radius: 6px; padding: .1rem .6rem; font-size: 1.1rem; }
.why { margin: .8rem 0 0; overflow-wrap: anywhere; }
.hint { margin: .2rem 0 0; color: var(--dim); overflow-wrap: anywhere; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(13rem, 1fr)); gap: .75rem; margin: 1rem 0 0; }
.tiles div { border: 1px solid var(--line); border-radius: 8px; padding: .6rem .8rem; }
.tiles dt { color: var(--dim); font-size: .8rem; }
.tiles dd { margin: 0; }
.tiles b { display: block; font-size: 1.35rem; line-height: 1.3; font-variant-numeric: tabular-nums; }
.tiles span { color: var(--dim); font-size: .8rem; overflow-wrap: anywhere; }
.said { white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: plaintext; }
pre, code { font: .84rem/1.45 ui-monospace, "SF Mono", Menlo, Consolas, monospace; unicode-bidi: isolate; }
pre { margin: 0; padding: .5rem .7rem; background: var(--code); border-radius: 6px; white-space: pre-wrap; overflow-wrap: anywhere; max-height: 28rem; overflow: auto; }
code { overflow-wrap: anywhere; }
.facts, .cut, .legend { margin: 0; color: var(--dim); font-size: .85rem; }
.axis { display: flex; justify-content: space-between; color: var(--dim); font-size: .75rem; margin: 0 5.2rem .25rem 21.5rem; font-variant-numeric: tabular-nums; }
.rows { max-height: 26rem; overflow: auto; border-top: 1px solid var(--line); }
.group { content-visibility: auto; contain-intrinsic-size: auto 8rem; border-bottom: 1px solid var(--line); padding: .15rem 0; }
.row { display: grid; grid-template-columns: 21rem 1fr 4.5rem; gap: .5rem; align-items: center; padding: .06rem 0; color: inherit; text-decoration: none; font-size: .8rem; }
.row:hover { background: var(--code); }
.row .name { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; padding-left: 1rem; font-family: ui-monospace, Menlo, Consolas, monospace; font-size: .76rem; }
.row .name i { color: var(--dim); font-style: normal; }
.row.model .name { padding-left: .25rem; font-weight: 600; font-family: inherit; font-size: .8rem; }
.time { color: var(--dim); font-size: .8rem; text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.bar { width: 100%; height: .65rem; background: var(--code); border-radius: 3px; }
rect.ok { fill: var(--ok); } rect.failed, rect.unanswered { fill: var(--failed); } rect.denied { fill: var(--denied); } rect.queued { fill: var(--link); } rect.model { fill: var(--model); }
rect.cache-read, .key.cache-read { fill: var(--cache-read); background: var(--cache-read); }
rect.cache-write, .key.cache-write { fill: var(--cache-write); background: var(--cache-write); }
rect.fresh, .key.fresh { fill: var(--fresh); background: var(--fresh); }
rect.output, .key.output { fill: var(--output); background: var(--output); }
.key { display: inline-block; width: .75rem; height: .75rem; border-radius: 3px; margin: 0 .3rem 0 .8rem; vertical-align: -1px; }
.key:first-child { margin-left: 0; }
.plots { display: grid; grid-template-columns: 2fr 1fr; gap: 1.25rem; margin: .6rem 0; }
figure { margin: 0; }
.card > .scroll + details { margin-top: .6rem; }
figcaption { color: var(--dim); font-size: .75rem; border-bottom: 1px dashed var(--line); }
.plot { display: block; width: 100%; height: 9rem; border-bottom: 1px solid var(--dim); }
.scroll { overflow: auto; max-height: 26rem; }
table { border-collapse: collapse; width: 100%; font-size: .85rem; }
th, td { text-align: left; vertical-align: top; padding: .3rem .75rem .3rem 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; unicode-bidi: isolate; }
thead th { color: var(--dim); font-weight: 600; white-space: nowrap; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; margin: 0; }
dt { color: var(--dim); font-size: .85rem; }
.input dt { padding-top: .45rem; }
dd { margin: 0; min-width: 0; overflow-wrap: anywhere; }
.tiles div { display: block; }
#controls { position: sticky; top: 0; z-index: 1; display: flex; flex-wrap: wrap; gap: .6rem .9rem; align-items: center; background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: .6rem .9rem; margin: 0 0 1rem; font-size: .85rem; }
#controls output { margin-left: auto; color: var(--dim); font-variant-numeric: tabular-nums; }
input, select, button { font: inherit; color: inherit; background: var(--back); border: 1px solid var(--line); border-radius: 6px; padding: .25rem .5rem; }
select { max-width: 14rem; }
button { cursor: pointer; }
.part { content-visibility: auto; contain-intrinsic-size: auto 20rem; padding: .9rem 1.1rem; }
.part > h3 { display: inline-block; margin-right: .75rem; }
.part > .facts { display: inline; }
.item { margin: .5rem 0 0; }
.message h4 { margin: .4rem 0 .1rem; }
.note { font-size: .85rem; color: var(--dim); overflow-wrap: anywhere; white-space: pre-line; }
.note.trouble b { color: var(--denied); }
.call { border: 1px solid var(--line); border-left: 4px solid var(--ok); border-radius: 6px; }
.call.failed, .call.unanswered { border-left-color: var(--failed); }
.call.queued { border-left-color: var(--link); }
.call.denied { border-left-color: var(--denied); }
.call > summary { display: flex; gap: .6rem; align-items: baseline; padding: .3rem .7rem; cursor: pointer; list-style: none; }
.call > summary::before { content: "▸"; color: var(--dim); }
.call[open] > summary::before { content: "▾"; }
.call > summary:hover { background: var(--code); }
.tool { font: 600 .84rem ui-monospace, Menlo, Consolas, monospace; white-space: nowrap; }
.preview { flex: 1; min-width: 0; color: var(--dim); font-size: .84rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; unicode-bidi: isolate; }
.body { padding: .3rem .9rem .9rem; border-top: 1px solid var(--line); }
.chip { --tone: var(--calm); color: var(--tone); border: 1px solid var(--tone); border-radius: 99px; padding: 0 .5rem; font-size: .75rem; white-space: nowrap; }
.chip.ok, .chip.allow, .chip.connected, .chip.approved { --tone: var(--ok); }
.chip.queued, .chip.pending { --tone: var(--link); }
.chip.failed, .chip.unanswered, .chip.error, .chip.rejected { --tone: var(--failed); }
.chip.denied, .chip.deny, .chip.ask, .chip.needs-auth, .chip.warning { --tone: var(--denied); }
@media (max-width: 48rem) {
  body { padding: .6rem; }
  .plots { grid-template-columns: 1fr; }
  .row { grid-template-columns: 8rem 1fr 4rem; }
  .axis { margin: 0 4.7rem .25rem 8.5rem; }
}
@media print { .rows, pre, .scroll { max-height: none; } #controls { display: none; } }
`
