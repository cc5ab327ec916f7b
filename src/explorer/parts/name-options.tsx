// The templates, interfaces, choices and packages that a picker or the search offers: of all packages, the best fit first.
import { Fragment } from 'preact'
import { type IndexedName, type NamedKind, namesIn, readNames } from '../api/name-index.ts'
import { type Range, type Ranked, rank } from '../api/ranking.ts'
import type { Option } from './picker.tsx'

const groupNames = { template: 'Templates', interface: 'Interfaces', choice: 'Choices', package: 'Packages' } as const
/** The node tells a browser that asks again whether the names have changed; nobody needs to ask at every key. */
const keptMs = 2_000

let kept: { readonly names: Promise<readonly IndexedName[]>; readonly untilMs: number } | undefined

function allNames(): Promise<readonly IndexedName[]> {
  if (kept !== undefined && performance.now() < kept.untilMs) return kept.names
  const names = readNames().then(namesIn)
  kept = { names, untilMs: performance.now() + keptMs }
  names.catch(() => {
    kept = undefined
  })
  return names
}

export type RankedName = Ranked<IndexedName>

/** At most this many of each kind, kind by kind; the kind with the best fit first. */
export async function findNames(
  text: string,
  kinds: readonly NamedKind[],
  perKind: number,
): Promise<readonly RankedName[]> {
  const isAsked = text.trim() !== ''
  const names = (await allNames()).filter(({ kind, isLibrary }) => kinds.includes(kind) && (isAsked || !isLibrary))
  const byKind = new Map<NamedKind, RankedName[]>()
  for (const found of rank(text, names)) {
    const own = byKind.get(found.thing.kind) ?? []
    if (own.length < perKind) own.push(found)
    byKind.set(found.thing.kind, own)
  }
  return [...byKind.values()].flat()
}

export const nameOption = (found: RankedName, value: string): Option => ({
  value,
  group: groupNames[found.thing.kind],
  words: <NameWords found={found} />,
})

const perPicker = 20

/** Values are `#package:Module:Template`. */
export async function templateOptions(text: string): Promise<readonly Option[]> {
  return (await findNames(text, ['template'], perPicker)).map((found) => nameOption(found, found.thing.of))
}

/** Values are `#package:Module:Template`, with `interface ` before an interface. */
export async function kindOptions(text: string): Promise<readonly Option[]> {
  const found = await findNames(text.replace(/^interface #/, ''), ['template', 'interface'], perPicker)
  return found.map((one) => nameOption(one, one.thing.isOfInterface ? `interface ${one.thing.of}` : one.thing.of))
}

function NameWords({ found: { thing, marks } }: { readonly found: RankedName }) {
  const { name, owner, module, packageName, kind } = thing
  const place = (
    <>
      <Marked text={packageName} ranges={marks.packageName} />:<Marked text={module} ranges={marks.module} />:
    </>
  )
  const own = (
    <b>
      <Marked text={name} ranges={marks.name} />
    </b>
  )
  if (kind === 'package') return own
  if (owner === undefined) {
    return (
      <>
        <span class="faint">{place}</span>
        {own}
      </>
    )
  }
  return (
    <>
      {own}{' '}
      <span class="faint">
        of {place}
        <Marked text={owner} ranges={marks.owner} />
      </span>
    </>
  )
}

/** A text with parts of it marked. */
export function Marked({
  text,
  ranges = [],
}: {
  readonly text: string
  readonly ranges?: readonly Range[] | undefined
}) {
  const pieces = ranges.map(([from, to], index) => (
    <Fragment key={from}>
      {text.slice(ranges[index - 1]?.[1] ?? 0, from)}
      <mark>{text.slice(from, to)}</mark>
    </Fragment>
  ))
  return (
    <span>
      {pieces}
      {text.slice(ranges.at(-1)?.[1] ?? 0)}
    </span>
  )
}
