// Updates of the ledger as rows of the store, gathered until they are written in one transaction. A contract that is
// created and archived in the same batch is written once, archived.
import type { Catalog } from './catalog.ts'
import { bytesCell, copyCells, copyLine, jsonCell, partiesCell, textCell } from './copy-rows.ts'
import {
  type ArchivedEvent,
  type CreatedEvent,
  type ExercisedEvent,
  type LedgerEvent,
  parseIdentifier,
  type Reassignment,
  type Transaction,
  type Update,
} from './ledger-messages.ts'

/** How far a store is: its last transaction, its last event, and the offset up to which it has everything. */
export type Position = { readonly ix: number; readonly offset: number; readonly eventPk: number }

/** The archival of a contract that an earlier batch created. */
export type Archival = {
  readonly contractId: string
  readonly eventPk: number
  readonly nodeId: number
  readonly ix: number
  readonly offset: number
  readonly effectiveAt: string
}

/** A name in an event that the catalog does not have. */
export type MissingName = {
  readonly kind: 'template' | 'interface'
  readonly packageId: string
  readonly package: string
  readonly module: string
  readonly entity: string
  readonly choice?: { readonly name: string; readonly isConsuming: boolean }
}

export const contractCopyColumns = `__contracts (tpe_pk, create_event_pk, create_event_offset, create_node_id,
  created_at_ix, created_at_offset, created_effective_at, contract_id, payload, contract_key, contract_key_hash, metadata,
  package_pk, creation_package_id, signatories, observers, witnesses, divulged_only,
  archive_event_pk, archive_node_id, archived_at_ix, archived_at_offset, archived_effective_at)`

export const exerciseCopyColumns = `__exercises (tpe_pk, contract_tpe_pk, exercise_event_pk, exercise_node_id,
  exercised_at_ix, exercised_at_offset, exercised_effective_at, contract_id, argument, result, package_pk, controllers,
  witnesses, last_descendant_node_id)`

export const transactionCopyColumns = `__transactions (ix, "offset", transaction_id, effective_at, workflow_id,
  synchronizer_id, trace_context, external_transaction_hash, paid_traffic_cost)`

/** A contract's rows without their last columns, which say how it ended. */
type ContractLines = { readonly starts: string[]; end: string; readonly isAssigned: boolean }

const stillActive = copyLine([undefined, undefined, undefined, undefined, undefined])
/** What is written in one transaction at most. */
const updatesMax = 5_000
const bytesMax = 8 * 1024 * 1024

export type Batch = ReturnType<typeof createBatch>

/** The transaction that contracts of the beginning belong to, and whether the store may have them already. */
export type Seed = { readonly ix: number; readonly offset: number; readonly mayBeKnown: boolean }

type Moment = { readonly ix: number; readonly offset: number; readonly effectiveAt: string | undefined }

export function createBatch(catalog: Catalog, before: Position) {
  const transactions: string[] = []
  const contracts = new Map<string, ContractLines>()
  const exercises: string[] = []
  const archivals = new Map<number, Archival[]>()
  const partitions = new Set<number>()
  let { ix, offset, eventPk } = before
  let updates = 0
  let bytes = 0
  /** Rows that the present transaction has made or changed. */
  let made = 0

  function create(event: CreatedEvent, moment: Moment, isAssigned = false): void {
    const { packageId, module, entity } = parseIdentifier(event.templateId)
    const representative = event.representativePackageId || packageId
    eventPk += 1
    const witnesses = new Set(event.witnessParties)
    const isStakeholder = [...event.signatories, ...(event.observers ?? [])].some((party) => witnesses.has(party))
    const start = copyCells([
      ...[eventPk, event.offset, event.nodeId, moment.ix, moment.offset, moment.effectiveAt ?? event.createdAt],
      event.contractId,
    ])
    const end = copyCells([
      ...[partiesCell(event.signatories), partiesCell(event.observers), partiesCell(event.witnessParties)],
      isAssigned ? false : !isStakeholder,
    ])
    const blob = event.createdEventBlob ? bytesCell(Buffer.from(event.createdEventBlob, 'base64')) : undefined
    const hasKey = event.contractKey !== undefined && event.contractKey !== null
    const starts: string[] = []
    const add = (fqn: string, cellsWith: (metadata: string | undefined) => Parameters<typeof copyLine>[0]) => {
      const type = catalog.typeOf(fqn)!
      if (!catalog.isKept(type)) return
      partitions.add(type)
      made += 1
      const cells = cellsWith(catalog.isKeptAsBytes(type) ? blob : undefined)
      starts.push(`${type}\t${start}\t${copyCells(cells)}\t${end}\t`)
    }
    add(`${event.packageName}:${module}:${entity}`, (metadata) => [
      ...[jsonCell(event.createArgument), hasKey ? jsonCell(event.contractKey) : undefined],
      ...[bytesCell(Buffer.from(event.contractKeyHash ?? '', 'base64')), metadata],
      ...[catalog.packageOf(representative)!.pk, representative === packageId ? undefined : packageId],
    ])
    for (const { interfaceId, viewStatus, viewValue } of event.interfaceViews ?? []) {
      if ((viewStatus?.code ?? 0) !== 0 || viewValue === undefined || viewValue === null) continue
      const view = parseIdentifier(interfaceId)
      const { pk, name } = catalog.packageOf(view.packageId)!
      const payload = jsonCell(viewValue)
      add(`${name}:${view.module}:${view.entity}`, (metadata) => [
        ...[payload, undefined, undefined, metadata, pk, undefined],
      ])
    }
    if (starts.length === 0) return
    contracts.set(event.contractId, { starts, end: stillActive, isAssigned })
  }

  function archive(event: ArchivedEvent, moment: Moment): void {
    eventPk += 1
    const created = contracts.get(event.contractId)
    if (created !== undefined) {
      made += 1
      created.end = copyLine([eventPk, event.nodeId, moment.ix, moment.offset, moment.effectiveAt])
      if (!created.isAssigned) return
    }
    const { module, entity } = parseIdentifier(event.templateId)
    const template = catalog.typeOf(`${event.packageName}:${module}:${entity}`)!
    const { contractId, nodeId } = event
    const archival = {
      contractId,
      eventPk,
      nodeId,
      ix: moment.ix,
      offset: moment.offset,
      effectiveAt: moment.effectiveAt!,
    }
    for (const type of [template, ...catalog.interfacesOf(template)].filter(catalog.isKept)) {
      made += 1
      const others = archivals.get(type)
      if (others === undefined) archivals.set(type, [archival])
      else others.push(archival)
    }
  }

  function exercise(event: ExercisedEvent, moment: Moment): void {
    eventPk += 1
    const { packageId, ...template } = parseIdentifier(event.templateId)
    const [packageName, definedIn] = ownerOf(event, catalog)
    const owner = `${packageName}:${definedIn.module}:${definedIn.entity}`
    const type = catalog.typeOf(`${event.packageName}:${template.module}:${template.entity}`)!
    const ownerType = catalog.typeOf(owner)
    if (catalog.isKept(type) || (ownerType !== undefined && catalog.isKept(ownerType))) {
      made += 1
      exercises.push(
        copyLine([
          ...[catalog.choiceOf(`${owner}:${event.choice}`), type],
          ...[eventPk, event.nodeId, moment.ix, moment.offset, moment.effectiveAt, event.contractId],
          ...[jsonCell(event.choiceArgument ?? null), jsonCell(event.exerciseResult ?? null)],
          catalog.packageOf(packageId)!.pk,
          ...[partiesCell(event.actingParties), partiesCell(event.witnessParties), event.lastDescendantNodeId],
        ]),
      )
    }
    if (event.consuming) archive(event, moment)
  }

  function addTransaction(transaction: Transaction): void {
    made = 0
    const moment = { ix: ix + 1, offset: transaction.offset, effectiveAt: transaction.effectiveAt }
    for (const event of transaction.events ?? []) {
      if ('CreatedEvent' in event) create(event.CreatedEvent, moment)
      else if ('ExercisedEvent' in event) exercise(event.ExercisedEvent, moment)
      else archive(event.ArchivedEvent, moment)
    }
    if (made > 0 || !catalog.isSelective) addTransactionRow(transaction)
  }

  function addTransactionRow(transaction: Omit<Transaction, 'events'>): void {
    ix += 1
    transactions.push(transactionLine(ix, transaction))
  }

  function addReassignment(reassignment: Reassignment): void {
    const { recordTime } = reassignment
    const arrived = (reassignment.events ?? []).flatMap(
      ({ JsAssignmentEvent }) => JsAssignmentEvent?.createdEvent ?? [],
    )
    made = 0
    for (const event of arrived) {
      if (contracts.has(event.contractId)) {
        made += 1
        eventPk += 1
      } else create(event, { ix: ix + 1, offset: reassignment.offset, effectiveAt: event.createdAt }, true)
    }
    // Also if the contracts are known already: in which batch they came makes no difference.
    if (made > 0) addTransactionRow({ ...reassignment, effectiveAt: recordTime })
  }

  return {
    ...{ transactions, exercises, archivals, partitions, before },
    get after(): Position {
      return { ix, offset, eventPk }
    },
    get isFull() {
      return updates >= updatesMax || bytes >= bytesMax
    },
    get isEmpty() {
      return updates === 0 && offset === before.offset
    },
    /** Those that came from another synchronizer: the store may have them already. */
    get assigned(): string[] {
      return [...contracts].flatMap(([contractId, { isAssigned }]) => (isAssigned ? [contractId] : []))
    },
    contractLines(known: ReadonlySet<string>): string[] {
      return [...contracts].flatMap(([contractId, { starts, end }]) =>
        known.has(contractId) ? [] : starts.map((start) => start + end),
      )
    },
    add(update: Update, size: number): void {
      if ('Transaction' in update) addTransaction(update.Transaction.value)
      else if ('Reassignment' in update) addReassignment(update.Reassignment.value)
      const [{ value }] = Object.values(update) as [{ value: { offset: number } }]
      offset = Math.max(offset, value.offset)
      if (!('OffsetCheckpoint' in update)) updates += 1
      bytes += size
    },
    /** The transaction that stands for all that came before the store. */
    begin(at: number, effectiveAt: string | undefined): void {
      ix += 1
      offset = at
      updates += 1
      transactions.push(
        copyLine([ix, at, undefined, effectiveAt, undefined, undefined, undefined, undefined, undefined]),
      )
    },
    /** A contract that was active then, in the transaction with this number. */
    addActive(event: CreatedEvent, at: Seed, size: number): void {
      create(event, { ...at, effectiveAt: undefined }, at.mayBeKnown)
      updates += 1
      bytes += size
    },
  }
}

function transactionLine(ix: number, transaction: Omit<Transaction, 'events'>): string {
  const { traceContext, externalTransactionHash, paidTrafficCost, workflowId } = transaction
  const trace = [traceContext?.traceparent, traceContext?.tracestate].map((text) => compositeCell(text ?? undefined))
  return copyLine([
    ...[ix, transaction.offset, transaction.updateId, transaction.effectiveAt, textCell(workflowId ?? '')],
    transaction.synchronizerId,
    traceContext?.traceparent ? textCell(`(${trace.join(',')})`) : undefined,
    bytesCell(Buffer.from(externalTransactionHash ?? '', 'hex')),
    paidTrafficCost ?? undefined,
  ])
}

/** A text in a composite value; nothing stands for null. */
function compositeCell(text: string | undefined): string {
  return text === undefined || text === '' ? '' : `"${text.replaceAll(/["\\]/g, (found) => found + found)}"`
}

/** The package and the template, or the interface, that defines the choice. */
function ownerOf({ interfaceId, templateId, packageName }: ExercisedEvent, catalog: Catalog) {
  if (!interfaceId) return [packageName, parseIdentifier(templateId)] as const
  const owner = parseIdentifier(interfaceId)
  return [catalog.packageOf(owner.packageId)?.name, owner] as const
}

/** The names that an update has and the catalog has not. */
export function missingNames(update: Update, catalog: Catalog): MissingName[] {
  if ('Transaction' in update)
    return (update.Transaction.value.events ?? []).flatMap((event) => missing(event, catalog))
  if (!('Reassignment' in update)) return []
  return (update.Reassignment.value.events ?? []).flatMap(({ JsAssignmentEvent: assigned }) =>
    assigned === undefined ? [] : missing({ CreatedEvent: assigned.createdEvent }, catalog),
  )
}

function missing(event: LedgerEvent, catalog: Catalog): MissingName[] {
  if ('CreatedEvent' in event) return missingInCreated(event.CreatedEvent, catalog)
  const told = 'ExercisedEvent' in event ? event.ExercisedEvent : event.ArchivedEvent
  const names = missingType('template', told.templateId, told.packageName, catalog)
  if (!('ExercisedEvent' in event)) return names
  const { choice, consuming: isConsuming, interfaceId } = event.ExercisedEvent
  const [owner = '', { packageId, module, entity }] = ownerOf(event.ExercisedEvent, catalog)
  if (catalog.choiceOf(`${owner}:${module}:${entity}:${choice}`) !== undefined) return names
  const kind = interfaceId ? 'interface' : 'template'
  return [...names, { kind, packageId, package: owner, module, entity, choice: { name: choice, isConsuming } }]
}

export function missingInCreated(event: CreatedEvent, catalog: Catalog): MissingName[] {
  const { templateId, packageName, representativePackageId, interfaceViews = [] } = event
  const { packageId: _, ...name } = parseIdentifier(templateId)
  const isKnown = !representativePackageId || catalog.packageOf(representativePackageId) !== undefined
  return [
    ...missingType('template', templateId, packageName, catalog),
    ...(isKnown
      ? []
      : [{ kind: 'template' as const, packageId: representativePackageId, package: packageName, ...name }]),
    ...interfaceViews.flatMap(({ interfaceId }) => missingType('interface', interfaceId, undefined, catalog)),
  ]
}

function missingType(
  kind: MissingName['kind'],
  identifier: string,
  packageName: string | undefined,
  catalog: Catalog,
): MissingName[] {
  const { packageId, module, entity } = parseIdentifier(identifier)
  const known = catalog.packageOf(packageId)
  const name = packageName ?? known?.name ?? ''
  const isKnown =
    known !== undefined && known.name !== '' && catalog.typeOf(`${name}:${module}:${entity}`) !== undefined
  return isKnown ? [] : [{ kind, packageId, package: name, module, entity }]
}
