// A participant as a reader of the simulation sees it: what it has been given, and every answer watched for what it must
// not tell.
import assert from 'node:assert/strict'
import { filtersFor, type Json, type Shape, updateFormat } from '../../fixtures/ledger.ts'
import type { TestParticipant } from '../../fixtures/network.ts'
import type { EffectsNetwork } from '../../fixtures/network-effects.ts'
import { eventsAt, givenTo, isSeenAt, type Reader, sawPayload, shownAt, type Update, type World } from './model.ts'
import { usedIn } from './workload.ts'

export type Scene = {
  readonly network: EffectsNetwork
  readonly world: World
  /** The ledger ends before the first update of the world. */
  readonly begins: readonly number[]
  /** Ids of contracts of earlier worlds, which parties of this one do not see. */
  readonly earlier: ReadonlySet<string>
}

export type View = Scene & {
  readonly at: TestParticipant
  readonly participant: number
  readonly begin: number
  readonly end: number
  /** What the participant has been given. */
  readonly updates: readonly Update[]
  /** Throws if the participant must not tell something of this. */
  watch(where: string, text: string): void
}

const withBlobs = { identifierFilter: { WildcardFilter: { value: { includeCreatedEventBlob: true } } } }
export const formatFor = (reader: Reader) =>
  reader === undefined ? { filtersForAnyParty: { cumulative: [withBlobs] } } : filtersFor([reader], withBlobs)

export const everythingFor = (reader: Reader, shape: Shape) => ({
  ...updateFormat(formatFor(reader), shape),
  includeReassignments: formatFor(reader),
})

export const updateIn = ({ Transaction, Reassignment }: Json): Json => (Transaction ?? Reassignment)?.value

export async function viewOf(scene: Scene, participant: number): Promise<View> {
  const { network, world, begins } = scene
  const one = [network.v1, network.v2, network.v3][participant - 1]!
  const hidden = hiddenFrom(world, participant)
  const watch = (where: string, text: string) => {
    const leaked = hidden.find((one) => text.includes(one))
    assert.equal(leaked, undefined, `${one.name} ${where} tells ${leaked}`)
  }
  const at = watched(one, watch)
  const [begin, end] = [begins[participant - 1]!, await at.end()]
  return { ...scene, at, participant, begin, end, updates: givenTo(world, participant), watch }
}

/** What must not appear in any answer of the participant: ids of updates and notes of contracts that it did not see. */
function hiddenFrom(world: World, participant: number): string[] {
  const given = givenTo(world, participant)
  const events = given.map((update) => eventsAt(world, update, participant))
  const updates = world.updates.filter((update) => !given.includes(update) || !isSeenAt(world, update, participant))
  // The result of a choice tells of the contracts that it fetched.
  const told = usedIn(events.flat().map(({ node }) => node))
  const contracts = world.contracts.filter((one) => !told.has(one) && !sawPayload(world, one, participant))
  return [...updates.map(({ id }) => id), ...contracts.map(({ note }) => note)]
}

function watched(at: TestParticipant, watch: View['watch']): TestParticipant {
  return {
    ...at,
    async post(path, body) {
      const answer = await at.post(path, body)
      if (answer.status === 200) watch(path, answer.text) // A refusal may repeat what was asked for.
      return answer
    },
  }
}

export async function ask({ at }: View, path: string, body: object): Promise<Json> {
  const answer = await at.post(path, body)
  assert.equal(answer.status, 200, `${at.name} ${path}: ${answer.text}`)
  return answer.json
}

/** The updates that the participant shows to the reader, in short. */
export function expectedUpdates({ world, participant, updates }: View, reader: Reader, shape: Shape) {
  return updates
    .map((update) => ({ update, text: shownAt(world, update, participant, reader, shape) }))
    .filter(({ text }) => text !== '')
}
