// How two answers differ, once ids and times are exchanged.
import { type Correspondence, offsetFields } from './correspondence.ts'
import { type Answer, isCheckpoint } from './side.ts'

export type Difference = {
  /** Such as `context.commands` or `[].transaction.events[].nodeId`, or `status`. */
  readonly where: string
  readonly ours: string
  readonly canton: string
}

export function compareAnswers(ours: Answer, canton: Answer, ids: Correspondence): Difference[] {
  if (headOf(ours) !== headOf(canton)) return [{ where: 'status', ours: shown(ours), canton: shown(canton) }]
  const [ourType, theirType] = [ours.type.toLowerCase(), canton.type.toLowerCase()]
  if (ourType !== theirType) return [{ where: 'type', ours: ours.type, canton: canton.type }]
  const differences: Difference[] = []
  if (ours.json === undefined || canton.json === undefined)
    compareValues(ours.text, canton.text, '', '', ids, differences)
  else {
    compareValues(elementsOf(ours.json), elementsOf(canton.json), '', '', ids, differences)
  }
  return differences
}

/** Without checkpoints, which come when the clock says so, and active contracts in the order of their creation. */
function elementsOf(json: unknown): unknown {
  if (isObject(json) && Array.isArray(json.activeContracts)) {
    return { ...json, activeContracts: elementsOf(json.activeContracts) }
  }
  if (isObject(json) && Array.isArray(json.connectedSynchronizers)) {
    const aliasOf = (one: unknown) => String((one as { synchronizerAlias?: unknown }).synchronizerAlias)
    const inOrder = json.connectedSynchronizers.toSorted((a, b) => (aliasOf(a) < aliasOf(b) ? -1 : 1))
    return { ...json, connectedSynchronizers: inOrder }
  }
  if (!Array.isArray(json)) return json
  const elements = json.filter((element) => !isCheckpoint(element))
  if (!elements.every((element) => isObject(element) && 'contractEntry' in element)) return elements
  return elements.toSorted((a, b) => placeOf(a) - placeOf(b))
}

const nodesMax = 1e6

function placeOf(element: unknown): number {
  const found = /"createdEvent":\{"offset":(\d+),"nodeId":(\d+)/.exec(JSON.stringify(element))
  return Number(found?.[1] ?? 0) * nodesMax + Number(found?.[2] ?? 0)
}

function headOf({ status, json }: Answer): string {
  const code = (json as { code?: unknown } | null | undefined)?.code
  return `${status} ${typeof code === 'string' && /^[A-Z_]+$/.test(code) ? code : ''}`
}

function shown({ status, text }: Answer): string {
  return `${status} ${text.slice(0, 400)}`
}

function compareValues(
  ours: unknown,
  canton: unknown,
  where: string,
  field: string,
  ids: Correspondence,
  found: Difference[],
): void {
  const report = () => void found.push({ where, ours: print(ours), canton: print(canton) })
  if (typeof ours === 'string' && typeof canton === 'string') {
    if (!sameTexts(ours, canton, field, ids)) report()
    return
  }
  if (typeof ours === 'number' && typeof canton === 'number') {
    const isSame = ours === canton || sameOffsets(ours, canton, field, ids)
    if (!isSame) report()
    return
  }
  if (Array.isArray(ours) && Array.isArray(canton)) {
    if (unorderedFields.has(field)) return compareSets(ours, canton, where, ids, found)
    if (ours.length !== canton.length) return report()
    for (const [index, item] of ours.entries()) {
      compareValues(item, canton[index], `${where}[]`, '', ids, found)
    }
    return
  }
  if (!isObject(ours) || !isObject(canton)) {
    if (ours !== canton) report()
    return
  }
  const theirKeys = new Set(Object.keys(canton))
  for (const [key, item] of Object.entries(ours)) {
    const theirKey = theirKeys.has(key) ? key : ids.toCanton(key)
    const place = where === '' ? shortKey(key) : `${where}.${shortKey(key)}`
    const inside = key === 'value' ? field : key
    if (theirKeys.delete(theirKey)) compareValues(item, canton[theirKey], place, inside, ids, found)
    else found.push({ where: place, ours: print(item), canton: 'absent' })
  }
  for (const key of theirKeys) {
    const place = where === '' ? shortKey(key) : `${where}.${shortKey(key)}`
    found.push({ where: place, ours: 'absent', canton: print(canton[key]) })
  }
}

function sameOffsets(ours: number, canton: number, field: string, ids: Correspondence): boolean {
  if (endFields.has(field)) return ids.ends(ours, canton)
  return offsetFields.has(field) && ids.offsets(ours, canton)
}

const endFields: ReadonlySet<string> = new Set([
  ...['lowestPageOffsetExclusive', 'highestPageOffsetInclusive', 'DeduplicationOffset'],
])

function sameTexts(ours: string, canton: string, field: string, ids: Correspondence): boolean {
  if (opaqueFields.has(field)) return (ours === '') === (canton === '')
  if (field === 'confirming_parties') return sameParties(ours, canton, ids)
  if (field === 'traceparent') return ids.texts(traceIdOf(ours), traceIdOf(canton))
  const areOffsets = offsetFields.has(field) && [ours, canton].every((text) => /^\d{1,15}$/.test(text))
  return areOffsets ? ids.offsets(Number(ours), Number(canton)) : ids.texts(hostless(ours), hostless(canton))
}

/** A set in one text: Canton lists it in the order in which its cache has them. */
function sameParties(ours: string, canton: string, ids: Correspondence): boolean {
  const sorted = (parties: string) => parties.split(', ').toSorted().join(', ')
  return ids.texts(ours, canton) || sorted(ids.toCanton(ours)) === sorted(canton)
}

/** Sets: Canton lists them in the order of its hash tables. */
const unorderedFields: ReadonlySet<string> = new Set([
  ...['newlyGrantedRights', 'newlyRevokedRights', 'rights', 'packageIds', 'witnessParties', 'signatories', 'observers'],
  ...['actingParties', 'actAs', 'readAs', 'packages', 'partyDetails', 'service', 'packageDetails'],
])

function compareSets(
  ours: readonly unknown[],
  canton: readonly unknown[],
  where: string,
  ids: Correspondence,
  found: Difference[],
): void {
  const left = canton.map((item) => timeless(item))
  for (const item of ours) {
    const index = left.indexOf(timeless(ids.jsonToCanton(item)))
    if (index < 0) found.push({ where: `${where}[]`, ours: print(item), canton: 'absent' })
    else left.splice(index, 1)
  }
  for (const item of left) found.push({ where: `${where}[]`, ours: 'absent', canton: item })
}

const timeless = (item: unknown) => JSON.stringify(item).replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time')

/** Where to go on reading: only the node that wrote it can read it. */
const opaqueFields: ReadonlySet<string> = new Set(['nextPageToken', 'pageToken', 'streamContinuationToken'])

/** Every participant has a span of its own in a trace. */
const traceIdOf = (traceparent: string) => traceparent.split('-')[1] ?? ''

const hostless = (text: string) => text.replaceAll(/(uri: https?:\/\/)[^/]+/g, '$1host')

/** Keys that are parties are all alike. */
function shortKey(key: string): string {
  return key.includes('::1220') ? '{party}' : key
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function print(value: unknown): string {
  return (value === undefined ? 'absent' : JSON.stringify(value)).slice(0, 600)
}
