// What a list says of an update, as far as a reader sees it: read from its description and the beginning of its events.
import { piecesOf } from '../../events/format/event-pieces.ts'
import type { StoredReassignment, StoredTopology, StoredTransaction } from '../../events/format/stored-update.ts'
import type { BodyBeginning } from '../../events/json/event-glimpses.ts'
import type { Shape } from '../../events/json/transaction-json.ts'
import { includesAny } from '../reading/json/visibility.ts'
import type { Matcher, PartySet } from '../reading/requests/event-matcher.ts'

export type Act = {
  readonly verb: 'create' | 'exercise' | 'archive' | 'assign' | 'unassign' | 'host'
  /** `package-id:Module:Template`, or the party that is hosted. */
  readonly subject: string
  readonly choice?: string
}

export type UpdateSummary = {
  readonly kind: 'transaction' | 'reassignment' | 'topology'
  readonly offset: bigint
  readonly updateId: string
  readonly recordTime: string
  /** Empty unless a reader submitted it. */
  readonly commandId: string
  readonly synchronizerId: string
  readonly roots: readonly Act[]
  readonly hasMoreRoots: boolean
  readonly created: number
  readonly archived: number
  readonly exercised: number
  /** `#package-name:Module:Entity` */
  readonly templates: ReadonlySet<string>
  readonly acting: ReadonlySet<string>
  /** Requesting parties that see some of it. */
  readonly parties: ReadonlySet<string>
  /** Everybody who acts, signs or observes, as far as the readers see it. */
  readonly involved: ReadonlySet<string>
  readonly choices: ReadonlySet<string>
}

/** As many roots are told. */
const rootsMax = 3

/** Undefined if the readers see nothing of it. */
export function summaryOfTransaction(
  offset: bigint,
  meta: StoredTransaction,
  body: BodyBeginning,
  matcher: Matcher,
  shape: Shape,
): UpdateSummary | undefined {
  const { outline, ends } = meta
  const { requesting, isPlain } = matcher
  const [parties, involved, acting] = [new Set<string>(), new Set<string>(), new Set<string>()]
  const [templates, choices] = [new Set<string>(), new Set<string>()]
  const roots: Act[] = []
  let [created, archived, exercised, next] = [0, 0, 0, 0]
  let lastCovered: number | undefined = -1
  let hasMoreRoots = false
  for (const event of outline.events) {
    const first = next
    next += piecesOf[event.kind]
    if (shape === 'delta' && !event.isDelta) continue
    const seenBy = (shape === 'delta' ? event.stakeholders : event.witnesses).flatMap((number) => {
      const party = outline.parties[number]!
      return requesting === 'everybody' || requesting.has(party) ? [party] : []
    })
    const template = outline.templates[event.template]!
    if (seenBy.length === 0 || !(isPlain || includesAny(matcher.ruleFor(template).seenBy, seenBy))) continue
    for (const party of seenBy) parties.add(party)
    templates.add(template)
    const isCreate = event.kind === 'create'
    if (isCreate) {
      created += 1
      for (const number of event.stakeholders) involved.add(outline.parties[number]!)
    } else {
      if (shape === 'effects') exercised += 1
      if (event.isConsuming) archived += 1
    }
    const isRoot = lastCovered !== undefined && event.nodeId > lastCovered
    if (!isRoot && isCreate) continue
    const glimpse = body.glimpse(event, first, ends)
    if (glimpse?.choice) choices.add(glimpse.choice)
    for (const party of glimpse?.acting ?? []) involved.add(party)
    if (!isRoot) continue
    lastCovered = isCreate || shape === 'delta' ? event.nodeId : glimpse?.lastDescendant
    const isTold = roots.length < rootsMax && (isCreate || glimpse !== undefined)
    if (!isTold) {
      hasMoreRoots = true
      continue
    }
    const subject = glimpse?.templateId ?? template
    for (const party of glimpse?.acting ?? []) acting.add(party)
    if (isCreate) roots.push({ verb: 'create', subject })
    else
      roots.push(
        shape === 'delta' ? { verb: 'archive', subject } : { verb: 'exercise', subject, choice: glimpse!.choice },
      )
  }
  if (templates.size === 0) return undefined
  const { updateId, commandId } = JSON.parse(`{${meta.head}}`)
  const { recordTime, synchronizerId } = JSON.parse(`{${meta.setting}}`)
  return {
    ...{ kind: 'transaction', offset, updateId, recordTime, synchronizerId },
    commandId: includesAny(requesting, outline.submitters) ? commandId : '',
    ...{ roots, hasMoreRoots: hasMoreRoots || lastCovered === undefined, created, archived, exercised },
    ...{ templates, acting, parties, involved: involved.union(parties), choices },
  }
}

/** Reassignments are for stakeholders. */
export function summaryOfReassignment(
  offset: bigint,
  meta: StoredReassignment,
  body: BodyBeginning,
  { requesting, isPlain, ruleFor }: Matcher,
): UpdateSummary | undefined {
  const [parties, involved, templates] = [new Set<string>(), new Set<string>(), new Set<string>()]
  const verb = meta.direction === 'assignment' ? 'assign' : 'unassign'
  const roots: Act[] = []
  let [seen, start] = [0, 0]
  for (const event of meta.events) {
    const from = start
    start = event.ends.at(-1)!
    const stakeholders = event.stakeholders.map((number) => meta.parties[number]!)
    const seenBy = stakeholders.filter((party) => requesting === 'everybody' || requesting.has(party))
    const template = meta.templates[event.template]!
    if (seenBy.length === 0 || !(isPlain || includesAny(ruleFor(template).seenBy, seenBy))) continue
    for (const party of seenBy) parties.add(party)
    // An unassignment tells only who submitted it.
    if (meta.direction === 'assignment') for (const party of stakeholders) involved.add(party)
    templates.add(template)
    seen += 1
    if (roots.length < rootsMax) roots.push({ verb, subject: body.templateAt(from) ?? template })
  }
  if (seen === 0) return undefined
  const { updateId, recordTime, synchronizerId, submitters } = meta
  return {
    ...{ kind: 'reassignment', offset, updateId, recordTime, synchronizerId },
    commandId: meta.isDelivered !== true && includesAny(requesting, submitters) ? meta.commandId : '',
    ...{ roots, hasMoreRoots: seen > rootsMax, created: 0, archived: 0, exercised: 0 },
    ...{ templates, acting: new Set(submitters), parties, choices: new Set() },
    involved: new Set([...involved, ...parties, ...submitters]),
  }
}

export function summaryOfTopology(
  offset: bigint,
  { updateId, recordTime, synchronizerId, events }: StoredTopology,
  readers: PartySet,
): UpdateSummary | undefined {
  const hosted = events.flatMap(({ party }) => (readers === 'everybody' || readers.has(party) ? [party] : []))
  if (hosted.length === 0) return undefined
  const parties = new Set(hosted)
  return {
    ...{ kind: 'topology', offset, updateId, recordTime, commandId: '', synchronizerId },
    roots: hosted.slice(0, rootsMax).map((subject) => ({ verb: 'host', subject })),
    ...{ hasMoreRoots: hosted.length > rootsMax, created: 0, archived: 0, exercised: 0 },
    ...{ templates: new Set(), acting: new Set(), parties, involved: parties, choices: new Set() },
  }
}
