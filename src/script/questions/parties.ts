// Parties: allocation and the list of those that a participant knows.
import { Unanswered } from '../failures.ts'
import { type Json, type Participant, pagesOf, Refused } from '../participants.ts'
import { fieldsIn, listIn, optionalIn, textIn } from '../shapes.ts'
import type { AnswerQuestion, Asking, Questions } from './question.ts'

/** One optional participant. */
const allocateOnOne: AnswerQuestion = async (payload, asking) => {
  const [name, hint, participant] = fieldsIn(payload, 3, 'AllocateParty')
  const wanted = optionalIn(participant, textIn)
  return allocate(hintFor(textIn(hint), textIn(name), asking), wanted === undefined ? [] : [wanted], asking)
}

const allocateOnSeveral: AnswerQuestion = async (payload, asking) => {
  const [name, hint, participants] = fieldsIn(payload, 3, 'AllocateParty')
  return allocate(hintFor(textIn(hint), textIn(name), asking), listIn(participants, textIn), asking)
}

async function allocate(partyIdHint: string, on: readonly string[], { participants, clock }: Asking): Promise<string> {
  const [owner] = on
  const hosts = [...new Set(on.length === 0 ? [participants.named(undefined)] : on.map(participants.named))]
  const party = hosts.length === 1 ? await allocateAlone(partyIdHint, hosts[0]!) : await replicate(partyIdHint, hosts)
  for (const host of hosts) await untilConnected(host, party, clock)
  participants.remember(party, owner)
  return party
}

async function allocateAlone(partyIdHint: string, host: Participant): Promise<string> {
  const { partyDetails } = await host.call('POST', '/v2/parties', { partyIdHint })
  return partyDetails.party
}

/** The Ledger API cannot; a network of Tallystick's has a tool for it. */
async function replicate(partyIdHint: string, [owner, ...others]: readonly Participant[]): Promise<string> {
  const ids: string[] = []
  for (const other of others) ids.push((await other.call('GET', '/v2/parties/participant-id')).participantId)
  try {
    return (await owner!.call('POST', '/dev/network/parties', { partyIdHint, participants: ids })).party
  } catch (error) {
    if (!(error instanceof Refused) || error.error.status !== 404) throw error
    throw new Unanswered(
      'a party on several participants cannot be allocated by the Ledger API',
      'UnsupportedOperation',
    )
  }
}

const attempts = 5
const pauseMs = 200

/** On Canton a new party takes a moment to reach its synchronizer. */
async function untilConnected(participant: Participant, party: string, clock: Asking['clock']): Promise<void> {
  const path = `/v2/state/connected-synchronizers?party=${encodeURIComponent(party)}`
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const { connectedSynchronizers } = await participant.call('GET', path)
    if (connectedSynchronizers.length > 0) return
    const { promise, resolve } = Promise.withResolvers<void>()
    clock.after(pauseMs, resolve)
    await promise
  }
  throw new Unanswered('Party not allocated on any synchronizer within 1 second', 'TimeoutException')
}

/** A hint is taken as it is; a name gets a suffix that makes it unique. */
function hintFor(hint: string, name: string, { random }: Asking): string {
  const suffix = () => random.bytes(4).toString('hex')
  if (hint === '') return name === '' ? `party-${suffix()}` : `${name}-${suffix()}`
  if (name === '' || name === hint) return hint
  throw new Unanswered(`Requested name '${name}' cannot be different from id hint '${hint}'`, 'ConverterException')
}

const listKnownParties: AnswerQuestion = async (payload, { values, participants }) => {
  const [participant] = fieldsIn(payload, 1, 'ListKnownParties')
  const type = values.ofLibrary('Questions.PartyManagement', 'PartyDetails')
  const details: Json[] = []
  for await (const page of pagesOf(participants.named(optionalIn(participant, textIn)), '/v2/parties')) {
    details.push(...page.partyDetails)
  }
  return values.list(details.map(({ party, isLocal }) => values.positional(type, party, isLocal === true)))
}

export const partyQuestions: Questions = [
  ['AllocateParty 1', allocateOnOne],
  ['AllocateParty 2', allocateOnSeveral],
  ['ListKnownParties 1', listKnownParties],
]
