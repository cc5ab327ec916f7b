// The participants of the network that this one belongs to, for administrators of a development node, and how to get to the
// explorers of the others.
import { computed, effect, signal } from '@preact/signals'
import { readParticipantId } from '../api/ledger-reads.ts'
import { type ParticipantState, readNetwork, signInKey } from '../api/network.ts'
import { hrefOf, path, query } from './location.ts'
import { session, sessionState } from './session.ts'

type Known = { readonly participants: readonly ParticipantState[]; readonly here: string }

const nothing: Known = { participants: [], here: '' }
const known = signal(nothing)

/** None if this one is alone, or if the reader may not know them. */
export const participants = computed(() => known.value.participants)

export const isThisParticipant = ({ participantId }: ParticipantState): boolean => participantId === known.value.here

/** What the others call the place where the reader is, if it is not its path: offsets are those of one participant. */
export const placeElsewhere = signal<string | undefined>(undefined)

/** What in the address is of one participant: offsets, pages of lists. */
const ownToParticipant: ReadonlySet<string> = new Set(['at', 'page', 'upTo'])

/** The same page in the explorer of another participant, on the machine where this page is from. */
export function explorerAt({ url }: ParticipantState): string {
  const address = new URL(hrefOf(placeElsewhere.value ?? path.value), url)
  for (const [name, value] of query.value) if (!ownToParticipant.has(name)) address.searchParams.append(name, value)
  address.hostname = location.hostname
  return address.href
}

/** Goes there, signed in. */
export async function goTo(participant: ParticipantState): Promise<void> {
  const { token } = session.peek()
  const key = token === undefined ? '' : `#key=${await signInKey()}`
  location.assign(explorerAt(participant) + key)
}

export function followNetwork(): void {
  effect(() => {
    const state = sessionState.value
    const isTold = state.kind === 'signed in' && state.session.isDevelopment && state.session.isAdmin
    if (!isTold) {
      known.value = nothing
      return
    }
    const controller = new AbortController()
    read(controller.signal).then(
      (found) => {
        if (!controller.signal.aborted) known.value = found
      },
      () => undefined, // The pages tell that the node does not answer.
    )
    return () => controller.abort()
  })
}

async function read(signal: AbortSignal): Promise<Known> {
  const found = await readNetwork(signal)
  return found.length === 0 ? nothing : { participants: found, here: await readParticipantId(signal) }
}
