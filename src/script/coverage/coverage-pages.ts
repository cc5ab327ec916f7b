// Coverage as HTML: an overview, and a page for each source file. Pages run no code, and all text in them is escaped.
import {
  type Arm,
  branchesOf,
  type CoveredFile,
  linesOf,
  neverFailed,
  onlySucceeded,
  placeText,
  type Share,
  type SourceCoverage,
  shareText,
  sumOf,
} from './source-coverage.ts'

export type Described = {
  /** Name and version of the package. */
  packageName(packageId: string): string
  /** The text of the source, if it is known. */
  sourceOf(file: CoveredFile): string | undefined
  /** The name of a file's page, as a relative path with slashes. */
  pageOf(file: CoveredFile): string
}

const style = `
:root { color-scheme: light dark; font: 14px/1.45 system-ui, sans-serif; --no: #c0392b33; --some: #d6a31133; --yes: #2e9e5b26 }
body { margin: 2rem auto; max-width: 75rem; padding: 0 1rem }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; padding: .2rem .7rem; vertical-align: top }
th { border-bottom: 1px solid currentColor }
td.number, th.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums }
table.source td { padding: 0 .7rem; font: 12.5px/1.5 ui-monospace, monospace; white-space: pre-wrap }
table.source td.number { opacity: .65 }
tr.yes td.count { background: var(--yes) } tr.some td.count { background: var(--some) } tr.no td.count { background: var(--no) }
mark { background: var(--no); color: inherit }
meter { width: 7rem }
td.share { white-space: nowrap }
`

export function overviewPage({ coverage, described }: { coverage: SourceCoverage; described: Described }): string {
  const { files } = coverage
  const rows = files.map((file) => {
    const link = `<a href="${escaped(described.pageOf(file).split('/').map(encodeURIComponent).join('/'))}">${escaped(file.module)}</a>`
    return row([escaped(described.packageName(file.packageId)), link], linesOf(file), branchesOf(file))
  })
  const total = row(['', 'all'], sumOf(files.map(linesOf)), sumOf(files.map(branchesOf)))
  return page('Coverage', [
    '<table><tr><th>Package</th><th>Module</th><th colspan="2">Lines</th><th colspan="2">Branches</th></tr>',
    ...rows,
    total,
    '</table>',
    ...list('Choices that were only ever exercised with success', onlySucceeded(coverage).map(choiceText)),
    ...list(
      'Assertions that never failed',
      neverFailed(coverage).map(({ at, made }) => `${placeText(at)} (made ${times(made)})`),
    ),
  ])
}

const choiceText = ({ name, completed }: { name: string; completed: number }) => `${name} (${times(completed)})`
const times = (count: number) => (count === 1 ? 'once' : `${count} times`)

function row(names: readonly string[], lines: Share, branches: Share): string {
  const cells = [lines, branches].flatMap((share) => [
    `<td>${share.all === 0 ? '' : `<meter min="0" max="${share.all}" value="${share.covered}"></meter>`}</td>`,
    `<td class="share">${shareText(share)}</td>`,
  ])
  return `<tr>${names.map((name) => `<td>${name}</td>`).join('')}${cells.join('')}</tr>`
}

function list(title: string, items: readonly string[]): string[] {
  if (items.length === 0) return []
  return [`<h2>${title}</h2>`, '<ul>', ...items.map((item) => `<li>${escaped(item)}</li>`), '</ul>']
}

/** `up` leads from the page to the overview. */
export function filePage(file: CoveredFile, described: Described): string {
  const up = '../'.repeat(described.pageOf(file).split('/').length - 1)
  const source = described.sourceOf(file)
  return page(`${file.module} – ${described.packageName(file.packageId)}`, [
    `<p><a href="${up}index.html">all files</a> · lines ${shareText(linesOf(file))} · branches ${shareText(branchesOf(file))}</p>`,
    ...(source === undefined ? placesTable(file) : sourceTable(file, source)),
  ])
}

// ── With the source

function sourceTable(file: CoveredFile, source: string): string[] {
  const texts = source.split(/\r?\n/)
  const marks = uncoveredColumns(file, texts)
  const branches = Map.groupBy(file.branches, ({ at }) => at.startLine + 1)
  const rows = texts.map((text, index) => {
    const line = index + 1
    const counted = file.lines.get(line)
    const kind = counted === undefined ? '' : counted.count === 0 ? 'no' : counted.isPartial ? 'some' : 'yes'
    const arms = (branches.get(line) ?? []).map(({ arms }) => markedArms(arms))
    const cells = [
      `<td class="number" id="L${line}">${line}</td>`,
      `<td class="number count">${counted?.count ?? ''}</td>`,
      `<td>${markedText(text, marks.get(index))}</td>`,
      `<td>${arms.join(' · ')}</td>`,
    ]
    return `<tr class="${kind}">${cells.join('')}</tr>`
  })
  return ['<table class="source">', ...rows, '</table>']
}

const armsText = (arms: readonly Arm[]) => arms.map(({ pattern, count }) => `${pattern} ${count}`).join(', ')

/** Marks arms that were never taken, if another one was. */
function markedArms(arms: readonly Arm[]): string {
  const isReached = arms.some(({ count }) => count > 0)
  return arms
    .map((arm) => {
      const text = escaped(armsText([arm]))
      return isReached && arm.count === 0 ? `<mark>${text}</mark>` : text
    })
    .join(', ')
}

/** Characters that are looked at for marks; the places of a package may overlap at will. */
const markedMax = 20_000_000

/** The columns of each line that belong to no place that ran, but to one that did not: inner places win. */
function uncoveredColumns(file: CoveredFile, texts: readonly string[]): Map<number, boolean[]> {
  const marks = new Map<number, boolean[]>()
  let left = markedMax
  for (const { at, count } of file.places) {
    // Inner places come after outer ones. A package may hold any numbers.
    const end = Math.min(at.endLine, texts.length - 1)
    for (let line = Math.max(0, at.startLine); line <= end; line += 1) {
      const own = marks.get(line) ?? []
      const from = line === at.startLine ? Math.max(0, at.startColumn) : 0
      const to = Math.min(texts[line]!.length, line === at.endLine ? at.endColumn : texts[line]!.length)
      left -= Math.max(1, to - from)
      if (left < 0) return marks
      for (let column = from; column < to; column += 1) own[column] = count === 0
      marks.set(line, own)
    }
  }
  return marks
}

function markedText(text: string, marks: readonly boolean[] = []): string {
  let html = ''
  for (let from = 0; from < text.length; ) {
    const isMarked = marks[from] === true
    let to = from + 1
    while (to < text.length && (marks[to] === true) === isMarked) to += 1
    const part = escaped(text.slice(from, to))
    html += isMarked && part.trim() !== '' ? `<mark>${part}</mark>` : part
    from = to
  }
  return html
}

// ── Without it

function placesTable(file: CoveredFile): string[] {
  const rows = file.places.map(({ at, count }) => {
    const span = `${at.startLine + 1}:${at.startColumn + 1} – ${at.endLine + 1}:${at.endColumn + 1}`
    return `<tr class="${count === 0 ? 'no' : 'yes'}"><td>${span}</td><td class="number count">${count}</td></tr>`
  })
  const arms = file.branches.map(({ at, arms }) => `${placeText(at)}: ${armsText(arms)}`)
  return [
    '<p>The source is not in the DAR.</p>',
    '<table><tr><th>Place</th><th class="number">Ran</th></tr>',
    ...rows,
    '</table>',
    ...list('Branches', arms),
  ]
}

function page(title: string, body: readonly string[]): string {
  const head = `<meta charset="utf-8"><title>${escaped(title)}</title><style>${style}</style>`
  return [
    '<!doctype html>',
    `<html lang="en"><head>${head}</head><body>`,
    `<h1>${escaped(title)}</h1>`,
    ...body,
    '</body></html>',
    '',
  ].join('\n')
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}
