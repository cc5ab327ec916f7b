// What readers should get: updates, contracts and completions of the model as JSON, as each format shows them
// (json-api-facts, sections 6.4 and 8.2).
import type { CreateNode, ExerciseNode, Node } from './interpretation.ts'
import type { Model, StoredContract, Update } from './model.ts'
import { holding, type Iou, quickstart, viewOf } from './quickstart.ts'

/** Which contracts a reader wants, and what of them. */
export type Filter = 'all' | 'with-blob' | 'ious' | 'holdings'
/** By party, or for whoever sees it. */
export type Format = ReadonlyMap<string, Filter> | Filter
export type Shape = 'TRANSACTION_SHAPE_ACS_DELTA' | 'TRANSACTION_SHAPE_LEDGER_EFFECTS'

export type Setting = { readonly packageId: string; readonly synchronizerId: string }

const packageName = 'quickstart'

export function createExpectations(model: Model, { packageId, synchronizerId }: Setting) {
  const typeId = (name: string) => `${packageId}:${name}`

  function createdEvent(contract: StoredContract, seenBy: readonly string[], format: Format, acsDelta: boolean) {
    const filters = filtersOf(format, seenBy)
    return {
      offset: contract.createdOffset,
      nodeId: contract.nodeId,
      contractId: contract.id,
      templateId: typeId(contract.template),
      contractKey: null,
      contractKeyHash: '',
      createArgument: contract.argument,
      createdEventBlob: filters.includes('with-blob') ? contract.blob : '',
      interfaceViews: hasViews(contract, filters)
        ? [
            {
              interfaceId: typeId(holding),
              viewStatus: { code: 0, message: '', details: [] },
              viewValue: viewOf(contract.argument as Iou),
              implementationPackageId: packageId,
            },
          ]
        : [],
      witnessParties: seenBy,
      signatories: contract.signatories,
      observers: contract.observers,
      createdAt: contract.createdAt,
      packageName,
      representativePackageId: packageId,
      acsDelta,
    }
  }

  const interfacesOf = (node: Node, seenBy: readonly string[], format: Format) =>
    hasViews(node.contract, filtersOf(format, seenBy)) ? [typeId(holding)] : []

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

  /** Whether it changes what is active after its transaction. */
  function isDelta(node: Node): boolean {
    return (node.kind === 'create' || node.isConsuming) && !model.isTransient(model.contracts.get(node.contract.id)!)
  }

  function eventsOf({ offset, nodes }: Update, format: Format, shape: Shape): { nodeId: number; json: object }[] {
    const isDeltaOnly = shape === 'TRANSACTION_SHAPE_ACS_DELTA'
    return nodes.flatMap((node) => {
      const seenBy = readersAmong(isDeltaOnly ? node.contract.stakeholders : node.witnesses, format)
      const isWanted = filtersOf(format, seenBy).some((filter) => isAbout(filter, node.contract.template))
      if ((isDeltaOnly && !isDelta(node)) || !isWanted) return []
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

  function headOf(update: Update, format: Format) {
    const { updateId, commandId, workflowId, effectiveAt, offset, traceContext, recordTime } = update
    const isOwn = readersAmong(update.submitters, format).length > 0
    const ids = { updateId, commandId: isOwn ? commandId : '', workflowId }
    return { ...ids, effectiveAt, offset, synchronizerId, traceContext, recordTime }
  }

  return {
    /** Undefined when the readers see nothing of it. */
    transaction(update: Update, format: Format, shape: Shape): object | undefined {
      const events = eventsOf(update, format, shape).map(({ json }) => json)
      if (events.length === 0) return undefined
      return { ...headOf(update, format), events, externalTransactionHash: null, paidTrafficCost: null }
    },

    /** What a submitter gets who asked for the transaction: at least its head. */
    submitted(update: Update, format: Format): object {
      const events = eventsOf(update, format, 'TRANSACTION_SHAPE_ACS_DELTA').map(({ json }) => json)
      const { commandId } = update
      return { ...headOf(update, format), commandId, events, externalTransactionHash: null, paidTrafficCost: null }
    },

    tree(update: Update, format: Format): object | undefined {
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
      return found.flatMap((contract) => {
        const seenBy = readersAmong(contract.stakeholders, format)
        if (!filtersOf(format, seenBy).some((filter) => isAbout(filter, contract.template))) return []
        const createdEventJson = createdEvent(contract, seenBy, format, true)
        const entry = { createdEvent: createdEventJson, synchronizerId, reassignmentCounter: 0 }
        return [{ workflowId: contract.workflowId, contractEntry: { JsActiveContract: entry } }]
      })
    },

    /** Undefined when there is nothing of it, or nothing that the readers see. */
    eventsOfContract(contract: StoredContract, format: Format): object | undefined {
      const seenBy = readersAmong(contract.stakeholders, format)
      const isWanted = filtersOf(format, seenBy).some((filter) => isAbout(filter, contract.template))
      if (!model.isKnown(contract) || !isWanted) return undefined
      const createdEventJson = createdEvent(contract, seenBy, format, !model.isTransient(contract))
      const archive = model.updates.find(({ offset }) => offset === contract.archivedOffset)
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

function readersAmong(parties: readonly string[], format: Format): string[] {
  return typeof format === 'string' ? [...parties] : parties.filter((party) => format.has(party))
}

/** What those who see something want of it. */
function filtersOf(format: Format, seenBy: readonly string[]): Filter[] {
  if (seenBy.length === 0) return []
  return typeof format === 'string' ? [format] : seenBy.map((party) => format.get(party)!)
}

function isAbout(filter: Filter, template: string): boolean {
  if (filter === 'ious') return template === 'Iou:Iou'
  return filter !== 'holdings' || quickstart.interfaces[holding]!.of.includes(template)
}

function hasViews({ template }: { readonly template: string }, filters: readonly Filter[]): boolean {
  return filters.includes('holdings') && isAbout('holdings', template)
}
