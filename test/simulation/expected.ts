// What readers should get: the model's updates, contracts and completions as JSON, in each format.
import { instantToText } from '../../src/lf/codec/time-text.ts'
import { errorInfo } from '../fixtures/error-details.ts'
import { type Format, filtersOf, hasViews, isWanted, readersAmong, type Shape, type UpdateFormat } from './filters.ts'
import type { CreateNode, ExerciseNode, Node } from './interpretation.ts'
import type { Model } from './model.ts'
import { holding, type Iou, viewOf } from './quickstart.ts'
import {
  type Move,
  placeAt,
  type Reassignment,
  type ReassignmentUpdate,
  type StoredContract,
  type TransactionUpdate,
  type Update,
} from './records.ts'

const packageName = 'quickstart'

export function createExpectations(model: Model, packageId: string) {
  const typeId = (name: string) => `${packageId}:${name}`

  /** For its creation, or for the assignment that made it active elsewhere. */
  function createdEvent(
    contract: StoredContract,
    seenBy: readonly string[],
    format: Format,
    acsDelta: boolean,
    { offset, nodeId } = { offset: contract.createdOffset, nodeId: contract.nodeId },
  ) {
    const filters = filtersOf(format, seenBy)
    return {
      offset,
      nodeId,
      contractId: contract.id,
      templateId: typeId(contract.template),
      contractKey: null,
      contractKeyHash: '',
      createArgument: contract.argument,
      createdEventBlob: filters.includes('with-blob') ? contract.blob : '',
      interfaceViews: hasViews(contract, filters) ? [viewJson(contract)] : [],
      witnessParties: seenBy,
      signatories: contract.signatories,
      observers: contract.observers,
      createdAt: contract.createdAt,
      packageName,
      representativePackageId: packageId,
      acsDelta,
    }
  }

  /** If nothing is connected, no package can be selected to compute a view. */
  function viewJson({ argument }: StoredContract): object {
    if (model.synchronizers.connected().length === 0) {
      const reason = 'NOT_CONNECTED_TO_ANY_SYNCHRONIZER'
      const message =
        `${reason}(9,0): Could not compute a package-id for rendering the interface view. ` +
        'Root cause: This participant is not connected to any synchronizer.'
      const details = [errorInfo(reason, { definite_answer: 'false', category: '9' })]
      const viewStatus = { code: 9, message, details }
      return { interfaceId, viewStatus, viewValue: null, implementationPackageId: null }
    }
    return {
      interfaceId,
      viewStatus: { code: 0, message: '', details: [] },
      viewValue: viewOf(argument as Iou),
      implementationPackageId: packageId,
    }
  }

  const interfaceId = typeId(holding)

  const interfacesOf = (node: Node, seenBy: readonly string[], format: Format) =>
    hasViews(node.contract, filtersOf(format, seenBy)) ? [interfaceId] : []

  function archivedEvent(offset: number, node: ExerciseNode, seenBy: readonly string[], format: Format) {
    return {
      offset,
      nodeId: node.nodeId,
      contractId: node.contract.id,
      templateId: typeId(node.contract.template),
      witnessParties: seenBy,
      packageName,
      implementedInterfaces: interfacesOf(node, seenBy, format),
    }
  }

  function exercisedEvent(offset: number, node: ExerciseNode, seenBy: readonly string[], format: Format) {
    return {
      offset,
      nodeId: node.nodeId,
      contractId: node.contract.id,
      templateId: typeId(node.contract.template),
      interfaceId: node.interfaceId === undefined ? null : typeId(node.interfaceId),
      choice: node.choice,
      choiceArgument: node.argument,
      actingParties: node.actors,
      consuming: node.isConsuming,
      witnessParties: seenBy,
      lastDescendantNodeId: node.lastDescendantNodeId,
      exerciseResult: node.result,
      packageName,
      implementedInterfaces: node.isConsuming ? interfacesOf(node, seenBy, format) : [],
      acsDelta: isDelta(node) && readersAmong(node.contract.stakeholders, format).length > 0,
    }
  }

  /** Whether it changes the set of active contracts after its transaction. */
  function isDelta(node: Node): boolean {
    return (node.kind === 'create' || node.isConsuming) && !model.isTransient(model.contracts.get(node.contract.id)!)
  }

  function eventsOf(
    { offset, nodes }: TransactionUpdate,
    format: Format,
    shape: Shape,
  ): { nodeId: number; json: object }[] {
    const isDeltaOnly = shape === 'TRANSACTION_SHAPE_ACS_DELTA'
    return nodes.flatMap((node) => {
      const seenBy = readersAmong(isDeltaOnly ? node.contract.stakeholders : node.witnesses, format)
      if ((isDeltaOnly && !isDelta(node)) || !isWanted(node.contract.template, format, seenBy)) return []
      return [{ nodeId: node.nodeId, json: eventOf(offset, node, seenBy, format, isDeltaOnly) }]
    })
  }

  function eventOf(offset: number, node: Node, seenBy: string[], format: Format, isDeltaOnly: boolean): object {
    if (node.kind === 'create') return { CreatedEvent: created(node, seenBy, format) }
    return isDeltaOnly
      ? { ArchivedEvent: archivedEvent(offset, node, seenBy, format) }
      : { ExercisedEvent: exercisedEvent(offset, node, seenBy, format) }
  }

  function created(node: CreateNode, seenBy: string[], format: Format): object {
    const isChange = isDelta(node) && readersAmong(node.contract.stakeholders, format).length > 0
    return createdEvent(model.contracts.get(node.contract.id)!, seenBy, format, isChange)
  }

  /** Its submitters are told the command id and the cost. */
  function isOwn({ submitters }: Update, format: Format): boolean {
    return readersAmong(submitters, format).length > 0
  }

  function headOf(update: TransactionUpdate, format: Format) {
    const { updateId, commandId, workflowId, effectiveAt, offset, synchronizerId, traceContext, recordTime } = update
    const ids = { updateId, commandId: isOwn(update, format) ? commandId : '', workflowId }
    return { ...ids, effectiveAt, offset, synchronizerId, traceContext, recordTime }
  }

  /** Undefined if the readers see nothing of it. */
  function transaction(update: TransactionUpdate, format: Format, shape: Shape): object | undefined {
    const events = eventsOf(update, format, shape).map(({ json }) => json)
    if (events.length === 0) return undefined
    const paidTrafficCost = isOwn(update, format) ? 0 : null
    return { ...headOf(update, format), events, externalTransactionHash: null, paidTrafficCost }
  }

  function unassignedEvent(
    contract: StoredContract,
    { of: { exclusiveUntil, ...of }, nodeId, counter }: Move,
    witnessParties: readonly string[],
  ) {
    return {
      ...waysOf(of, of.submitter, counter),
      contractId: contract.id,
      templateId: typeId(contract.template),
      packageName,
      assignmentExclusivity: instantToText(exclusiveUntil),
      witnessParties,
      offset: of.unassignedOffset,
      nodeId,
    }
  }

  function reassignmentEvents(update: ReassignmentUpdate, format: Format): object[] {
    const { kind, reassignment, offset, submitters } = update
    return update.moves.flatMap(({ contract, counter }, nodeId): object[] => {
      const seenBy = readersAmong(contract.stakeholders, format)
      if (!isWanted(contract.template, format, seenBy)) return []
      if (kind === 'unassignment') {
        return [
          { JsUnassignedEvent: { value: unassignedEvent(contract, { of: reassignment, nodeId, counter }, seenBy) } },
        ]
      }
      const created = createdEvent(contract, seenBy, format, true, { offset, nodeId })
      return [{ JsAssignmentEvent: { ...waysOf(reassignment, submitters[0]!, counter), createdEvent: created } }]
    })
  }

  /** Undefined if the readers see nothing of it, unless they want no events. */
  function reassignment(update: ReassignmentUpdate, format: Format, isBare = false): object | undefined {
    const { updateId, commandId, workflowId, offset, traceContext, recordTime, synchronizerId } = update
    const events = isBare ? [] : reassignmentEvents(update, format)
    if (events.length === 0 && !isBare) return undefined
    const isTold = isOwn(update, format)
    return {
      ...{ updateId, commandId: isTold ? commandId : '', workflowId, offset, events },
      ...{ traceContext, recordTime, synchronizerId, paidTrafficCost: isTold ? 0 : null },
    }
  }

  return {
    transaction,
    reassignment,

    update(update: Update, { shape, transactions, reassignments }: UpdateFormat): object | undefined {
      if (update.kind === 'transaction') {
        const value = transactions && transaction(update, transactions, shape)
        return value && { Transaction: { value } }
      }
      const value = reassignments && reassignment(update, reassignments)
      return value && { Reassignment: { value } }
    },

    /** What the submitter gets when it asks for the transaction: at least its header. */
    submitted(update: TransactionUpdate, format: Format): object {
      const events = eventsOf(update, format, 'TRANSACTION_SHAPE_ACS_DELTA').map(({ json }) => json)
      const { commandId } = update
      return { ...headOf(update, format), commandId, events, externalTransactionHash: null, paidTrafficCost: 0 }
    },

    tree(update: TransactionUpdate, format: Format): object | undefined {
      const events = eventsOf(update, format, 'TRANSACTION_SHAPE_LEDGER_EFFECTS')
      if (events.length === 0) return undefined
      const eventsById = events.map(({ nodeId, json }) => {
        const [[kind, value]] = Object.entries(json) as [[string, unknown]]
        return [nodeId, { [kind.replace('Event', 'TreeEvent')]: { value } }]
      })
      return { ...headOf(update, format), eventsById: Object.fromEntries(eventsById) }
    },

    activeContracts(offset: number, format: Format): object[] {
      const found = [...model.contracts.values()].filter(
        ({ createdOffset, archivedOffset = Number.POSITIVE_INFINITY }) =>
          createdOffset <= offset && archivedOffset > offset,
      )
      return found.flatMap((contract): object[] => {
        const seenBy = readersAmong(contract.stakeholders, format)
        if (!isWanted(contract.template, format, seenBy)) return []
        const place = placeAt(contract, offset)
        const { synchronizerId, counter: reassignmentCounter, departure } = place
        const created = createdEvent(contract, seenBy, format, true, place)
        if (departure === undefined) {
          const entry = { createdEvent: created, synchronizerId, reassignmentCounter }
          return [{ workflowId: place.workflowId, contractEntry: { JsActiveContract: entry } }]
        }
        const entry = { createdEvent: created, unassignedEvent: unassignedEvent(contract, departure, seenBy) }
        return [{ workflowId: departure.of.workflowId, contractEntry: { JsIncompleteUnassigned: entry } }]
      })
    },

    /** Undefined if there are no events, or none that the readers see. */
    eventsOfContract(contract: StoredContract, format: Format): object | undefined {
      const seenBy = readersAmong(contract.stakeholders, format)
      if (!model.isKnown(contract) || !isWanted(contract.template, format, seenBy)) return undefined
      const { synchronizerId } = contract
      const createdEventJson = createdEvent(contract, seenBy, format, !model.isTransient(contract))
      const archive = model.updates.find(
        (one): one is TransactionUpdate => one.kind === 'transaction' && one.offset === contract.archivedOffset,
      )
      const node = archive?.nodes.find(
        (one): one is ExerciseNode => one.kind === 'exercise' && one.isConsuming && one.contract.id === contract.id,
      )
      return {
        created: { createdEvent: createdEventJson, synchronizerId },
        archived: node ? { archivedEvent: archivedEvent(archive!.offset, node, seenBy, format), synchronizerId } : null,
      }
    },
  }
}

export type Expectations = ReturnType<typeof createExpectations>

function waysOf(
  { id: reassignmentId, source, target }: Pick<Reassignment, 'id' | 'source' | 'target'>,
  submitter: string,
  reassignmentCounter: number,
) {
  return { reassignmentId, source, target, submitter, reassignmentCounter }
}
