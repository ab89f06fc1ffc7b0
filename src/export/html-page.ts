import { createHash } from 'node:crypto'
import { escapedLine } from './html-prose.ts'

/**
 * The start of a page: all there is to it is in the file, and its policy lets nothing run and nothing be loaded. Whoever
 * opens it from anywhere reads, and no one hears of it.
 */
export function pageStart(title: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<meta name="generator" content="annals">
<title>${escapedLine(title)}</title>
<style>${STYLE}</style>
</head>
<body>
`
}

export function pageEnd(isRedacted: boolean): string {
  const words = isRedacted ? 'Passwords, keys and tokens that were found are masked.' : 'Secrets were left in.'
  return `<footer>Written by annals. ${words}</footer>\n</body>\n</html>\n`
}

const STYLE = `
:root{color-scheme:light dark;--paper:#fbfaf8;--surface:#fff;--sunk:#f3f1ec;--line:#e4e0d8;--ink:#211f1b;--muted:#645f56;
--accent:#0f6b5c;--prompt:#eef3fb;--prompt-edge:#3f6db0;--danger:#ad2118;--danger-soft:#fdecea;--warn:#7d5200;
--added:#136c2e;--added-soft:#e3f6e8;--removed:#a3231b;--removed-soft:#fdeae8}
@media (prefers-color-scheme:dark){:root{--paper:#161513;--surface:#1d1c19;--sunk:#24221f;--line:#34312c;--ink:#ece8e1;
--muted:#aca598;--accent:#6fd0bb;--prompt:#1e2733;--prompt-edge:#86aee6;--danger:#ff938a;--danger-soft:#3b201d;
--warn:#e6b65c;--added:#7fd695;--added-soft:#17301e;--removed:#ff9f97;--removed-soft:#3a1f1c}}
*{box-sizing:border-box}
html{scroll-padding-top:1rem;-webkit-text-size-adjust:100%}
body{margin:0 auto;max-width:52rem;padding:2rem 1.25rem 3rem;background:var(--paper);color:var(--ink);
font:400 1rem/1.6 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;overflow-wrap:anywhere}
h1{font-size:1.65rem;line-height:1.25;margin:0 0 .4rem;font-weight:680;letter-spacing:-.01em;text-wrap:balance}
a{color:var(--accent);text-underline-offset:2px}
a:focus-visible,summary:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:3px}
.facts,.about,footer{color:var(--muted);font-size:.875rem;margin:0}
.facts+.facts{margin-top:.15rem}
nav{margin:1.5rem 0 0;border:1px solid var(--line);border-radius:10px;background:var(--surface);padding:.9rem 1.1rem}
nav h2{font-size:.8125rem;margin:0 0 .4rem;color:var(--muted);font-weight:600}
nav ol{margin:0;padding:0 0 0 1.9em;font-variant-numeric:tabular-nums}
nav li{padding:.12rem 0;color:var(--muted)}
nav a{color:var(--ink);text-decoration:none}
nav a:hover{color:var(--accent);text-decoration:underline}
.turn{margin:2.25rem 0 0}
.turn>h2{font-size:1rem;margin:0;font-weight:400}
.asked{display:block;background:var(--prompt);border-left:3px solid var(--prompt-edge);border-radius:0 10px 10px 0;padding:.75rem 1rem}
.turn>h2 .asked,.asked.plain{white-space:pre-wrap}
.about{margin:.35rem 0 0;display:flex;flex-wrap:wrap;gap:0 .8em}
.about a{color:inherit;text-decoration:none}
.about a:hover{text-decoration:underline}
.turn>*+*,.agent>*+*{margin-top:.9rem}.turn>p{margin-bottom:0}
.prose>*{margin:.75em 0}.prose>:first-child{margin-top:0}.prose>:last-child{margin-bottom:0}
.prose h3,.prose h4,.prose h5,.prose h6{line-height:1.3;margin:1.25em 0 .5em;font-weight:650;font-size:1em}
.prose h3{font-size:1.2em}.prose h4{font-size:1.08em}
.prose ul,.prose ol{padding-left:1.5em}.prose li+li{margin-top:.2em}
.prose blockquote{margin-left:0;border-left:3px solid var(--line);padding-left:.9em;color:var(--muted)}
.prose hr,.seam{border:0;border-top:1px solid var(--line)}
.prose table{border-collapse:collapse;font-size:.9375em}
.prose th,.prose td{border:1px solid var(--line);padding:.25em .6em;text-align:left;vertical-align:top}
.prose th{background:var(--sunk);font-weight:600}
.to-right{text-align:right!important}.to-center{text-align:center!important}
.image{color:var(--muted)}
code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;font-size:.8125rem}
.prose code{background:var(--sunk);border-radius:4px;padding:.1em .3em;font-size:.875em}
pre{background:var(--sunk);border-radius:8px;padding:.7rem .9rem;margin:.5rem 0;line-height:1.5;white-space:pre-wrap;tab-size:4}
.prose pre code{background:none;padding:0;font-size:inherit}
details{border:1px solid transparent;border-radius:8px}
details[open]{border-color:var(--line);background:var(--surface)}
summary{cursor:pointer;list-style:none;border-radius:8px}
summary::-webkit-details-marker{display:none}
summary::before{content:"▸" / "";color:var(--muted);width:1em;flex:none;margin-left:-.1em}
details[open]>summary::before{content:"▾" / ""}
summary:hover{background:var(--sunk)}
details>:not(summary){margin-left:.75rem;margin-right:.75rem}
details>:last-child:not(summary){margin-bottom:.75rem}
.call{font-size:.875rem;color:var(--muted)}
.turn>.call{margin:0 -.5rem}.agent>.call{margin:0 .25rem}
.turn>:not(.call)+.call,.agent>:not(.call)+.call{margin-top:.6rem}.turn>.call+:not(.call){margin-top:.8rem}
.turn>.call[open],.agent>.call[open]{margin-top:.35rem;margin-bottom:.45rem}
summary,p.call{display:flex;align-items:baseline;gap:0 .55rem;padding:.22rem .5rem}
p.call{padding-left:2.05rem}
.call b{color:var(--ink);font-weight:600;flex:none;max-width:40%}
summary>code,p.call>code{color:var(--ink);flex:1 1 auto;min-width:0}
.call pre,.call .prose{color:var(--ink)}.call .prose{font-size:.9375rem}
.outcome{flex:none;max-width:45%;text-align:right;margin-left:auto;font-variant-numeric:tabular-nums}
.failed>.outcome,.failed>summary>.outcome,.error{color:var(--danger)}
.error{background:var(--danger-soft);border-radius:8px;padding:.6rem .9rem;white-space:pre-wrap}
.note{color:var(--muted);font-size:.875rem;white-space:pre-wrap}
.note b{font-weight:600}
.agent>summary::before{color:var(--accent)}
.agent .who{color:var(--accent);flex:none;max-width:40%}
.agent .did{color:var(--ink);flex:1 1 auto;min-width:0}
details.agent[open]{border-left:3px solid var(--accent)}
details.agent .asked{font-size:.9375rem;color:var(--ink);margin-top:.5rem}
.at.kept{color:inherit}
.add,.del,.at{display:block;margin:0 -.9rem;padding:0 .9rem}
.add{background:var(--added-soft);color:var(--added)}
.del{background:var(--removed-soft);color:var(--removed)}
.at{color:var(--muted)}
.compacted{text-align:center;color:var(--warn);font-size:.875rem}
table.sessions{width:100%;border-collapse:collapse;margin-top:1.5rem;font-size:.9375rem}
.sessions th,.sessions td{text-align:left;padding:.45rem .6rem .45rem 0;border-bottom:1px solid var(--line);vertical-align:top}
.sessions th{color:var(--muted);font-weight:600;font-size:.8125rem}
.sessions .number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.sessions .when{white-space:nowrap;color:var(--muted);font-variant-numeric:tabular-nums}
.sessions .where{color:var(--muted)}
footer{margin-top:3rem;border-top:1px solid var(--line);padding-top:.8rem}
@media (max-width:40rem){body{padding:1.25rem .9rem 2rem}h1{font-size:1.35rem}.sessions .where,.sessions .few{display:none}
pre{padding:.6rem .7rem}.add,.del,.at{margin:0 -.7rem;padding:0 .7rem}
summary,p.call{flex-wrap:wrap}summary>code,p.call>code{flex:0 1 auto;max-width:100%}.call b,.agent .who{max-width:100%}
summary::before{margin-right:-.3rem}p.call{padding-left:.5rem}}
@media print{body{max-width:none;padding:0;font-size:10pt}nav{break-after:page}summary{list-style:none}
details::details-content{content-visibility:visible;display:block;height:auto}.turn>h2,.about{break-after:avoid}a{color:inherit}}
`

const HASH = createHash('sha256').update(STYLE).digest('base64')
const POLICY = `default-src 'none'; style-src 'sha256-${HASH}'; base-uri 'none'; form-action 'none'`
