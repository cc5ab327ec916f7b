// The tools of a development node: time, snapshots and faults.
import { call, get, post, send } from './client.ts'

export type Snapshot = {
  readonly name: string
  readonly takenAt: string
  readonly offset: number
  readonly bytes: number
}

export async function readTime(signal?: AbortSignal): Promise<string> {
  return (await get<{ currentTime: string }>('/v2/time', { signal })).currentTime
}

export async function moveTime(to: { readonly advance: string } | { readonly set: string }): Promise<string> {
  return (await post<{ currentTime: string }>('/dev/time', to)).currentTime
}

export async function readSnapshots(signal?: AbortSignal): Promise<readonly Snapshot[]> {
  return (await get<{ snapshots: Snapshot[] }>('/dev/snapshots', { signal })).snapshots
}

/** An empty name lets the node choose one. */
export async function takeSnapshot(name: string): Promise<Snapshot> {
  return (await post<{ snapshot: Snapshot }>('/dev/snapshots', { name })).snapshot
}

const snapshotPath = (name: string) => `/dev/snapshots/${encodeURIComponent(name)}`

export async function deleteSnapshot(name: string): Promise<void> {
  await call('DELETE', snapshotPath(name))
}

export async function restoreSnapshot(name: string): Promise<void> {
  await post(`${snapshotPath(name)}/restore`, {})
}

export async function resetLedger(): Promise<void> {
  await post('/dev/reset', {})
}

export async function downloadSnapshot(name: string): Promise<Blob> {
  return (await send('GET', `${snapshotPath(name)}/content`)).blob()
}

export async function addSnapshot(name: string, content: Blob): Promise<void> {
  await post(`${snapshotPath(name)}/content`, content)
}

export type FaultOrder = {
  readonly match?: {
    readonly templateId?: string
    readonly commandId?: string
    readonly userId?: string
    readonly participant?: string
  }
  readonly every?: number
  readonly times?: number
  readonly fail?: { readonly code: string; readonly message?: string } | null
  readonly delayMs?: number
  readonly loseAnswer?: boolean
  readonly endStreams?: boolean
}
export type Fault = FaultOrder & { readonly id: number; readonly met: number; readonly struck: number }

export async function readFaults(signal?: AbortSignal): Promise<readonly Fault[]> {
  return (await get<{ faults: Fault[] }>('/dev/faults', { signal })).faults
}

export async function orderFault(order: FaultOrder): Promise<void> {
  await post('/dev/faults', order)
}

export async function cancelFault(id: number): Promise<void> {
  await call('DELETE', `/dev/faults/${id}`)
}

/** What a fault does, in words. */
export function effectOf({ fail, delayMs = 0, loseAnswer = false }: FaultOrder): string {
  if (fail) return `refuses with ${fail.code}`
  if (delayMs > 0) return `delays by ${delayMs} ms`
  return loseAnswer ? 'commits and loses the answer' : 'ends all open streams'
}

/** Whom a fault strikes and how often, in words. */
export function targetOf({ match = {}, every = 1, times = 1 }: FaultOrder): string {
  const named = [
    match.templateId && `template ${match.templateId}`,
    match.commandId && `command ${match.commandId}`,
    match.userId && `user ${match.userId}`,
    match.participant && `participant ${match.participant}`,
  ].filter(Boolean)
  const which = every === 1 ? 'each submission' : `each ${every}. submission`
  const often = times === 0 ? 'until cancelled' : times === 1 ? 'once' : `${times} times`
  return `${which}${named.length === 0 ? '' : ` of ${named.join(', ')}`}, ${often}`
}
