// The participants of a network, as a development node tells its administrators.
import { get, post } from './client.ts'
import type { Update } from './wire.ts'

export type SynchronizerState = {
  readonly synchronizerAlias: string
  readonly isConnected: boolean
  /** Updates that the participant has not been given yet, and how long the first of them has waited. */
  readonly waiting: number
  readonly lagMs: number
}

export type ParticipantState = {
  readonly participant: string
  readonly participantId: string
  /** Empty if the process does not serve it. */
  readonly url: string
  readonly isStopped: boolean
  readonly delayMs: number
  readonly offset: number
  readonly synchronizers: readonly SynchronizerState[]
}

export type ParticipantOrder = {
  readonly participant: string
  readonly action: 'connect' | 'disconnect' | 'stop' | 'resume' | 'delay'
  readonly synchronizerAlias?: string
  readonly delayMs?: number
}

/** What a participant shows of an update; null if it sees nothing of it. */
export type ParticipantView = { readonly participant: string; readonly update: Update | null }

/** None on a node without a network. */
export async function readNetwork(signal?: AbortSignal): Promise<readonly ParticipantState[]> {
  return (await get<{ participants: ParticipantState[] }>('/dev/network', { signal })).participants
}

export async function controlParticipant(order: ParticipantOrder): Promise<void> {
  await post('/dev/network', order)
}

export async function readViews(updateId: string, signal?: AbortSignal): Promise<readonly ParticipantView[]> {
  const path = `/dev/network/updates/${encodeURIComponent(updateId)}`
  return (await get<{ participants: ParticipantView[] }>(path, { signal })).participants
}

/** A key that signs in at any participant of the node. */
export async function signInKey(): Promise<string> {
  return (await post<{ key: string }>('/dev/sign-in-keys', {})).key
}
