// Reads every contract of some templates through the new version of their package, as a command does that uses them: the engine
// converts the arguments, and computes signatories, observers and key anew, and refuses what became different.
import { errorOf, type ForkAccess } from './fork-access.ts'
import { createOutcomes, problemOf, type TemplateOutcome } from './problems.ts'

/** A template of the new version. */
export type NewTemplate = {
  readonly packageId: string
  readonly packageName: string
  /** `Module:Template`. */
  readonly name: string
  /** `#package-name:Module:Interface`. */
  readonly interfaces: readonly string[]
}

type Element = {
  readonly contractEntry: {
    readonly JsActiveContract?: { readonly createdEvent: CreatedEvent; readonly synchronizerId: string }
  }
}

type CreatedEvent = {
  readonly contractId: string
  readonly templateId: string
  readonly packageName: string
  readonly signatories: readonly string[]
  readonly interfaceViews?: readonly {
    readonly interfaceId: string
    readonly viewStatus: { readonly code: number; readonly message: string }
  }[]
}

type Waiting = { readonly template: NewTemplate; readonly contracts: CreatedEvent[] }

/** Contracts that one trial uses: those that break are found by halving. */
const contractsAtOnce = 50

const fullName = ({ packageName, name }: NewTemplate) => `#${packageName}:${name}`

/** By template. Nothing is recorded: each contract is archived by a dry run. */
export async function readThrough(
  templates: readonly NewTemplate[],
  fork: ForkAccess,
): Promise<readonly TemplateOutcome[]> {
  const outcomes = createOutcomes()
  const byName = new Map(templates.map((template) => [fullName(template), template]))
  const waiting = new Map<string, Waiting>()
  let commands = 0

  async function attempt({ packageId, name }: NewTemplate, contracts: readonly CreatedEvent[]) {
    const actAs = [...new Set(contracts.flatMap(({ signatories }) => signatories))]
    const list = contracts.map(({ contractId }) => ({
      ExerciseCommand: { templateId: `${packageId}:${name}`, contractId, choice: 'Archive', choiceArgument: {} },
    }))
    commands += 1
    const error = await errorOf(fork, '/dev/dry-run', {
      commands: { commandId: `rehearsal-${commands}`, actAs, commands: list },
    })
    return error && problemOf(error)
  }

  async function tryAll(template: NewTemplate, contracts: readonly CreatedEvent[]): Promise<void> {
    const problem = await attempt(template, contracts)
    if (problem !== undefined && contracts.length > 1) {
      const half = Math.ceil(contracts.length / 2)
      for (const part of [contracts.slice(0, half), contracts.slice(half)]) await tryAll(template, part)
    } else for (const { contractId } of contracts) outcomes.note(fullName(template), contractId, problem)
  }

  const filters = templates.map((template) => ({
    identifierFilter: { TemplateFilter: { value: { templateId: fullName(template) } } },
  }))
  for await (const { created, synchronizerId } of activeContracts(filters, fork)) {
    const template = byName.get(nameOf(created))!
    // Contracts of one transaction are on one synchronizer.
    const place = `${synchronizerId} ${fullName(template)}`
    const batch = waiting.get(place) ?? { template, contracts: [] }
    waiting.set(place, batch)
    batch.contracts.push(created)
    if (batch.contracts.length < contractsAtOnce) continue
    waiting.delete(place)
    await tryAll(template, batch.contracts)
  }
  for (const { template, contracts } of waiting.values()) await tryAll(template, contracts)
  return outcomes.list()
}

/** The views of interfaces that the new version computes, by template. */
export async function readViews(
  templates: readonly NewTemplate[],
  fork: ForkAccess,
): Promise<readonly TemplateOutcome[]> {
  const outcomes = createOutcomes()
  const names = new Set(templates.map(fullName))
  const filters = [...new Set(templates.flatMap(({ interfaces }) => interfaces))].map((interfaceId) => ({
    identifierFilter: { InterfaceFilter: { value: { interfaceId, includeInterfaceView: true } } },
  }))
  for await (const { created } of activeContracts(filters, fork)) {
    if (!names.has(nameOf(created))) continue
    const failed = created.interfaceViews?.find(({ viewStatus }) => viewStatus.code !== 0)
    const message = failed && `the view of ${failed.interfaceId.replace(/^[^:]*:/, '')}: ${failed.viewStatus.message}`
    outcomes.note(nameOf(created), created.contractId, message)
  }
  return outcomes.list()
}

const nameOf = ({ packageName, templateId }: CreatedEvent) =>
  `#${packageName}${templateId.slice(templateId.indexOf(':'))}`

async function* activeContracts(cumulative: readonly object[], { client }: ForkAccess) {
  if (cumulative.length === 0) return
  const { offset: activeAtOffset } = await client.get<{ offset: number }>('/v2/state/ledger-end')
  const eventFormat = { filtersByParty: {}, filtersForAnyParty: { cumulative }, verbose: false }
  const request = { activeAtOffset, eventFormat }
  const { signal } = new AbortController()
  for await (const { element } of client.stream<Element>('/v2/state/active-contracts', request, signal)) {
    const active = element.contractEntry.JsActiveContract
    if (active !== undefined) yield { created: active.createdEvent, synchronizerId: active.synchronizerId }
  }
}
