// Commands and readings of tests, as requests of the Ledger API.
import { wallClock } from '../base/clock.ts'
import type { ErrorAnswer } from '../base/error-answer.ts'
import { errorWords } from '../base/error-words.ts'
import { randomUuid, systemRandom } from '../base/random.ts'
import { commandsText, valueText } from '../base/transaction-text.ts'
import type {
  Acting,
  Contract,
  DryRun,
  Following,
  InterfaceRef,
  Parties,
  PartyView,
  Reading,
  TemplateOrInterface,
  TestNode,
  Transaction,
  Waiting,
  Wanted,
} from './api.ts'
import type { Client, Json } from './client.ts'
import { kitUser } from './running-node.ts'

export type LedgerAccess = Pick<
  TestNode,
  'create' | 'exercise' | 'submit' | 'dryRun' | 'contracts' | 'contract' | 'updates' | 'offset'
>

const patienceMs = 10_000
/** Contracts that a wait without success shows. */
const shownMax = 5

export function createLedgerAccess({ call, lines }: Client): LedgerAccess {
  async function send(path: string, commands: object | readonly object[], acting: Acting): Promise<Json> {
    checkActing(acting)
    const { commandId = randomUuid(systemRandom), disclosedContracts = [] } = acting
    const [actAs, readAs] = [listed(acting.actAs), listed(acting.readAs)]
    const all: readonly object[] = Array.isArray(commands) ? commands : [commands]
    const eventFormat = eventFormatOf([], [...actAs, ...readAs])
    const request = {
      commands: { commandId, userId: kitUser, actAs, readAs, commands: all, disclosedContracts },
      transactionFormat: { eventFormat, transactionShape: 'TRANSACTION_SHAPE_LEDGER_EFFECTS' },
    }
    return call('POST', path, request, (answer) => refusedCommands(answer, all, actAs))
  }

  async function submit(commands: object | readonly object[], acting: Acting): Promise<Transaction> {
    return (await send('/v2/commands/submit-and-wait-for-transaction', commands, acting)).transaction
  }

  const offset = async (): Promise<number> => (await call('GET', '/v2/state/ledger-end')).offset

  async function activeAt<T extends TemplateOrInterface>(
    activeAtOffset: number,
    template: T,
    parties: Parties | undefined,
  ): Promise<Contract<T>[]> {
    const eventFormat = eventFormatOf([template], parties)
    const contracts: Contract<T>[] = []
    let pageToken = ''
    do {
      const page = await call('POST', '/v2/state/active-contracts-page', { activeAtOffset, eventFormat, pageToken })
      for (const { contractEntry } of page.activeContracts) {
        const { createdEvent } = contractEntry.JsActiveContract ?? {}
        if (createdEvent !== undefined) contracts.push(contractOf(createdEvent, template))
      }
      pageToken = page.nextPageToken ?? ''
    } while (pageToken !== '')
    return contracts
  }

  async function* follow(
    { after = 0, templates = [], parties }: Following & Reading,
    transactionShape: string,
    signal?: AbortSignal,
  ): AsyncGenerator<Transaction, void> {
    const includeTransactions = { eventFormat: eventFormatOf(templates, parties), transactionShape }
    const request = { beginExclusive: after, updateFormat: { includeTransactions } }
    for await (const { update } of lines('/v2/updates', request, signal)) {
      if (update.Transaction !== undefined) yield update.Transaction.value
    }
  }

  async function firstCreated<T extends TemplateOrInterface>(
    template: T,
    wanted: Wanted<T>,
    { after, parties, signal }: Following & Reading & { signal: AbortSignal },
  ): Promise<Contract<T> | undefined> {
    const following = { after: after!, templates: [template], ...(parties !== undefined && { parties }) }
    for await (const { events } of follow(following, 'TRANSACTION_SHAPE_ACS_DELTA', signal)) {
      const created: Contract<T>[] = events.flatMap(({ CreatedEvent: event }) =>
        event ? [contractOf(event, template)] : [],
      )
      const found = created.find((contract) => wanted(contract.payload, contract))
      if (found !== undefined) return found
    }
    return undefined
  }

  return {
    offset,
    submit,
    async create(template, createArguments, acting) {
      const { events } = await submit({ CreateCommand: { templateId: idOf(template), createArguments } }, acting)
      return contractOf(events[0].CreatedEvent, template)
    },
    async exercise(template, contractId, choice, choiceArgument, acting) {
      const command = { templateId: idOf(template), contractId, choice, choiceArgument }
      const { events } = await submit({ ExerciseCommand: command }, acting)
      return events[0].ExercisedEvent.exerciseResult
    },
    dryRun: (commands, acting): Promise<DryRun> => send('/dev/dry-run', commands, acting),
    contracts: async (template, parties) => activeAt(await offset(), template, parties),
    updates: (following = {}) => follow(following, 'TRANSACTION_SHAPE_LEDGER_EFFECTS'),

    async contract<T extends TemplateOrInterface>(
      template: T,
      wanted: Wanted<T> = () => true,
      { timeout = patienceMs, parties }: Waiting & Reading = {},
    ) {
      const after = await offset()
      const active = await activeAt(after, template, parties)
      const known = active.find((contract) => wanted(contract.payload, contract))
      if (known !== undefined) return known
      const waiting = new AbortController()
      const timer = wallClock.after(timeout, () => waiting.abort())
      try {
        const reading = { after, signal: waiting.signal, ...(parties !== undefined && { parties }) }
        const found = await firstCreated(template, wanted, reading)
        if (found !== undefined) return found
      } finally {
        timer.cancel()
      }
      if (!waiting.signal.aborted) throw new Error(`the node ended before there was a contract of ${idOf(template)}`)
      throw new Error(nothingCame(template, timeout, await activeAt(await offset(), template, parties)))
    },
  }
}

/** The same for parties that are always the same. */
export function viewOf(ledger: LedgerAccess, given: Parties): PartyView {
  const parties = listed(given)
  return {
    parties,
    create: (template, payload, options) => ledger.create(template, payload, { ...options, actAs: parties }),
    exercise: (template, contractId, choice, argument, options) =>
      ledger.exercise(template, contractId, choice, argument, { ...options, actAs: parties }),
    submit: (commands, options) => ledger.submit(commands, { ...options, actAs: parties }),
    dryRun: (commands, options) => ledger.dryRun(commands, { ...options, actAs: parties }),
    contracts: (template) => ledger.contracts(template, parties),
    contract: (template, wanted, options) => ledger.contract(template, wanted, { ...options, parties }),
    updates: (options) => ledger.updates({ ...options, parties }),
  }
}

/** Tells of a refusal with the commands, and of the one that failed with what it had done. */
function refusedCommands(answer: ErrorAnswer, commands: readonly object[], actAs: readonly string[]): string {
  const { transaction, exercises: _exercises, choice: _choice, ...context } = answer.context
  const tree = commandsText(commands, transaction).replaceAll('\n', '\n  ')
  return `${errorWords({ ...answer, context })}\n  submitted by ${actAs.map((party) => valueText(party)).join(', ')}:\n  ${tree}`
}

function nothingCame(template: TemplateOrInterface, timeout: number, active: readonly Contract<unknown>[]): string {
  const shown = active.slice(0, shownMax).map(({ payload }) => `\n  ${valueText(payload)}`)
  const rest = active.length > shownMax ? [`\n  and ${active.length - shownMax} others`] : []
  const others = active.length === 0 ? 'none is active' : `active are${[...shown, ...rest].join('')}`
  return `no contract of ${idOf(template)} came within ${timeout} ms that is wanted; ${others}`
}

function eventFormatOf(templates: readonly TemplateOrInterface[], parties: Parties | undefined): object {
  const cumulative = templates.map((template) => ({ identifierFilter: filterOf(template) }))
  if (parties === undefined) return { filtersForAnyParty: { cumulative } }
  return { filtersByParty: Object.fromEntries(listed(parties).map((party) => [party, { cumulative }])) }
}

function filterOf(template: TemplateOrInterface): object {
  if (!isInterface(template)) return { TemplateFilter: { value: { templateId: idOf(template) } } }
  return { InterfaceFilter: { value: { interfaceId: template.interfaceId, includeInterfaceView: true } } }
}

function contractOf<T extends TemplateOrInterface>(event: Json, template: T): Contract<T> {
  const { contractId, templateId, createArgument, interfaceViews, signatories, observers, offset } = event
  const payload = isInterface(template) ? interfaceViews[0].viewValue : createArgument
  return { contractId, templateId, payload, signatories, observers, offset }
}

function isInterface(template: TemplateOrInterface): template is InterfaceRef {
  return typeof template !== 'string' && 'interfaceId' in template
}

function idOf(template: TemplateOrInterface): string {
  if (typeof template === 'string') return template
  return isInterface(template) ? template.interfaceId : template.templateId
}

export function listed(parties: Parties = []): readonly string[] {
  return typeof parties === 'string' ? [parties] : parties
}

/** The types say so, too, but tests in JavaScript have none. */
function checkActing(acting: Acting | undefined): void {
  if (listed(acting?.actAs).length > 0) return
  throw new TypeError('a command needs actAs: pass the parties that act as the last argument, such as { actAs: alice }')
}
