// Clients of a network at work: each submits for the party of one participant, proposals and their acceptance, splits, and
// moves of contracts between synchronizers. It remembers what it was answered. Others disturb the participants meanwhile.
import { setTimeout } from 'node:timers/promises'
import { type Dice, pick } from '../../test/fixtures/dice.ts'
import type { Json, LedgerClient, Reply } from '../../test/fixtures/ledger-client.ts'

export const names = ['v1', 'v2', 'v3'] as const
export type Name = (typeof names)[number]
export const synchronizersOf: Record<Name, readonly string[]> = {
  v1: ['global', 'private'],
  v2: ['global', 'private'],
  v3: ['private'],
}
export type Clients = Readonly<Record<Name, LedgerClient>>

/** What clients know, and what they were answered. */
export type Memory = {
  /** The party of each participant. */
  readonly parties: Map<Name, string>
  /** By command id: the participant, and the update, or undefined for a refusal. */
  readonly outcomes: Map<string, { readonly at: Name; readonly updateId: string | undefined }>
  /** Contracts that clients may use: proposals and IOUs, with their template. */
  readonly contracts: KnownContract[]
  commands: number
}

type KnownContract = { readonly contractId: string; readonly template: string; synchronizerId: string }

export const userId = 'crash'
const actions = ['disconnect', 'connect', 'stop', 'resume', 'delay'] as const

export const createMemory = (): Memory => ({ parties: new Map(), outcomes: new Map(), contracts: [], commands: 0 })

/** Until aborted; the participant may die meanwhile, and come back elsewhere. */
export async function load(
  name: Name,
  client: () => LedgerClient,
  memory: Memory,
  dice: Dice,
  signal: AbortSignal,
): Promise<void> {
  let connected: Json[] = []
  while (!signal.aborted) {
    if (connected.length === 0) {
      connected = (await client().get('/v2/state/connected-synchronizers'))?.json.connectedSynchronizers ?? []
    }
    const used = usedBy(memory, dice)
    if (used !== undefined && connected.length > 1 && dice(5) === 0) await move(name, client, memory, used, connected)
    else await command(name, client, memory, dice, used, connected)
    await setTimeout(dice(4))
  }
}

const usedBy = ({ contracts }: Memory, dice: Dice) =>
  contracts.length > 0 && dice(3) > 0 ? contracts.at(-1 - dice(Math.min(20, contracts.length))) : undefined

async function command(
  name: Name,
  client: () => LedgerClient,
  memory: Memory,
  dice: Dice,
  used: KnownContract | undefined,
  connected: readonly Json[],
): Promise<void> {
  const { parties, contracts } = memory
  const commandId = `command-${++memory.commands}`
  const synchronizerId = used?.synchronizerId ?? (connected.length === 0 ? '' : pick(dice, connected).synchronizerId)
  const owner = parties.get(pick(dice, names))!
  const commands = {
    commands: [used === undefined ? proposing(parties.get(name)!, owner) : using(used)],
    ...{ commandId, userId, actAs: [parties.get(name)], synchronizerId },
  }
  const reply = await client().post('/v2/commands/submit-and-wait-for-transaction', { commands })
  remember(name, commandId, reply, reply?.json.transaction, memory)
  for (const { CreatedEvent } of reply?.json.transaction?.events ?? []) {
    if (CreatedEvent === undefined) continue
    const { contractId, templateId } = CreatedEvent
    contracts.push({ contractId, template: templateId.split(':')[2], synchronizerId })
  }
}

const proposing = (issuer: string, owner: string) => ({
  CreateCommand: {
    templateId: '#quickstart:Iou:IouProposal',
    createArguments: { iou: { issuer, owner, amount: '100.0', currency: 'EUR', observers: [] } },
  },
})

function using({ contractId, template }: KnownContract): object {
  const [choice, choiceArgument] =
    template === 'IouProposal' ? ['IouProposal_Accept', {}] : ['Iou_Split', { amount: '1.0' }]
  return { ExerciseCommand: { templateId: `#quickstart:Iou:${template}`, contractId, choice, choiceArgument } }
}

/** Sometimes nobody is left to assign the contract; then a participant does when the time is over. */
async function move(
  name: Name,
  client: () => LedgerClient,
  memory: Memory,
  contract: KnownContract,
  connected: readonly Json[],
): Promise<void> {
  const { contractId, synchronizerId: source } = contract
  const target = connected.find(({ synchronizerId }) => synchronizerId !== source)?.synchronizerId
  if (target === undefined) return
  const left = await reassign(name, client, memory, 'leave', {
    UnassignCommand: { value: { contractId, source, target } },
  })
  const reassignmentId = left?.events[0].JsUnassignedEvent.value.reassignmentId
  if (reassignmentId === undefined) return
  contract.synchronizerId = target
  await reassign(name, client, memory, 'arrive', { AssignCommand: { value: { reassignmentId, source, target } } })
}

async function reassign(
  name: Name,
  client: () => LedgerClient,
  memory: Memory,
  prefix: string,
  command: object,
): Promise<Json> {
  const commandId = `${prefix}-${++memory.commands}`
  const reassignmentCommands = { commandId, userId, submitter: memory.parties.get(name), commands: [{ command }] }
  const body = { reassignmentCommands, eventFormat: { filtersForAnyParty: {} } }
  const reply = await client().post('/v2/commands/submit-and-wait-for-reassignment', body)
  remember(name, commandId, reply, reply?.json.reassignment, memory)
  return reply?.json.reassignment
}

/** A participant that is dead, or does not answer in time, tells nothing. */
function remember(at: Name, commandId: string, reply: Reply | undefined, update: Json, { outcomes }: Memory): void {
  if (reply?.status === 200) outcomes.set(commandId, { at, updateId: update.updateId })
  else if (reply !== undefined && reply.status !== 503) outcomes.set(commandId, { at, updateId: undefined })
}

/** Asks any of the controls, and each of them for what only its own process knows. Ends when there is none left. */
export async function disturb(controls: () => readonly LedgerClient[], dice: Dice, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && controls().length > 0) {
    const participant = pick(dice, names)
    const action = pick(dice, actions)
    const isConnection = action === 'connect' || action === 'disconnect'
    const request = {
      participant,
      action,
      ...(isConnection && { synchronizerAlias: pick(dice, synchronizersOf[participant]) }),
      ...(action === 'delay' && { delayMs: dice(2) * dice(60) }),
    }
    const all = controls()
    for (const control of isConnection ? [pick(dice, all)] : all) await control.post('/dev/network', request)
    await setTimeout(dice(80))
  }
}
