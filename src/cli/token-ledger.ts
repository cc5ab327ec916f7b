// What the commands about tokens of one's own share: the participants that they talk to, instruments by their names, amounts.
import { StartError } from '../base/errors.ts'
import { systemRandom } from '../base/random.ts'
import { shownUrl } from '../base/shown-url.ts'
import type { Send } from '../splice/ledger/http-requests.ts'
import type { Participant } from '../splice/ledger/participant.ts'
import type { Instrument } from '../splice/tokens/instruments.ts'
import { UsageError } from './command.ts'
import { dataFolder, nodeAt, nodeOf } from './local-node.ts'
import { partyNamed } from './named-parties.ts'
import { NotReachedError } from './node-client.ts'
import { withNodeVariables } from './node-variables.ts'
import { type RunningNodeFlags, runningNode } from './running-node.ts'

type Environment = Readonly<Record<string, string | undefined>>

export async function participantAt(flags: RunningNodeFlags, environment: Environment): Promise<Participant> {
  const { createParticipant } = await import('../splice/ledger/participant.ts')
  const { createHttpRequests } = await import('../splice/ledger/http-requests.ts')
  const { url, token } = await nodeAt(flags, environment)
  const request = createHttpRequests()
  const reach: Send = (input, options) =>
    request(input, options).catch((error: Error) => {
      throw new NotReachedError(`cannot reach ${shownUrl(url)}: ${error.message}; is the node running?`)
    })
  // A node that requires no token knows no user of it.
  const userId = token === undefined ? 'participant_admin' : ''
  return createParticipant({ url, token, userId, random: systemRandom, send: reach })
}

/** All participants of a network that runs here; else the one that the flags name. */
export async function participantsHere(flags: RunningNodeFlags, environment: Environment): Promise<Participant[]> {
  const { url } = withNodeVariables(flags, environment)
  const record = url === undefined ? await nodeOf(dataFolder(flags, environment)) : undefined
  const names = (record?.participants ?? []).map(({ name }) => name)
  if (names.length === 0) return [await participantAt(flags, environment)]
  return Promise.all(names.map((participant) => participantAt({ ...flags, participant }, environment)))
}

/** Refusals of the node become one line. */
export async function asking<T>(answer: () => Promise<T>): Promise<T> {
  const { ParticipantRefusal } = await import('../splice/ledger/participant.ts')
  try {
    return await answer()
  } catch (error) {
    if (error instanceof ParticipantRefusal) throw new StartError(`the node refused: ${error.message}`)
    throw error
  }
}

export type InstrumentFlags = RunningNodeFlags & { readonly admin?: string }

export const adminOption = {
  admin: { type: 'string', value: 'PARTY', help: 'its admin, where several have an instrument of this name' },
} as const

/** The instrument of this id; of this admin, if it is given. */
export async function instrumentNamed(
  id: string,
  participant: Participant,
  flags: InstrumentFlags,
  environment: Environment,
): Promise<Instrument> {
  const { listInstruments } = await import('../splice/tokens/instruments.ts')
  const node = await runningNode(flags, environment)
  const admin = flags.admin === undefined ? undefined : await partyNamed(flags.admin, node)
  const named = (await listInstruments(participant)).filter((one) => one.id === id)
  const found = named.filter((one) => admin === undefined || one.admin === admin)
  if (found.length === 1) return found[0]!
  if (found.length > 1) throw new UsageError(`several admins have an instrument ${id}; name one with --admin`)
  throw new StartError(`there is no instrument ${id}; tallystick token instrument create ${id} --admin PARTY makes one`)
}

export async function checkedAmount(text: string): Promise<string> {
  const { unitsFrom } = await import('../splice/ledger/decimals.ts')
  if ((unitsFrom(text) ?? 0n) > 0n) return text
  throw new UsageError(`AMOUNT: ${text} is not a positive number with at most ten digits after the point`)
}
