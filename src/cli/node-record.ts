// What a running development node leaves in its data folder, so that other commands find it: its URL, and the secret
// that signs tokens. One private file for each process, because nodes in memory may share a folder. A clean stop removes
// it; a file of a process that is gone is ignored, and removed at the next start.
import { readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { makePrivateFolder, writePrivateFile } from '../base/private-files.ts'
import { isDevelopment, type Settings } from '../base/settings.ts'
import type { Node } from '../node/node.ts'

export type NodeRecord = {
  readonly url: string
  /** Undefined if it serves no gRPC. */
  readonly grpcUrl?: string | undefined
  readonly pid: number
  /** Undefined if the node requires no tokens. */
  readonly secret?: string | undefined
  /** Those of a network; undefined for one participant. */
  readonly participants?: readonly ParticipantRecord[] | undefined
  /** Where it keeps its ledger: memory, sqlite or postgres. */
  readonly store?: string | undefined
}

type ParticipantRecord = { readonly name: string; readonly url: string; readonly grpcUrl?: string | undefined }

const fileName = (pid: number) => `node-${pid}.json`
const filePattern = /^node-(\d+)\.json$/

/** Other commands find a development node by this, also one in memory or on any port. `tell` says if it cannot be left. */
export function leaveRecordOf(node: Node, settings: Settings, tell: (text: string) => void): Disposable | undefined {
  if (!isDevelopment(settings)) return undefined
  const folder = resolve(settings.store.data)
  try {
    return leaveNodeRecord(folder, {
      url: node.url,
      grpcUrl: node.grpcUrl,
      pid: process.pid,
      secret: node.localSecret,
      ...(node.participants.length > 1 && {
        participants: node.participants.map(({ name, url, grpcUrl }) => ({ name, url, grpcUrl })),
      }),
      store: settings.store.kind,
    })
  } catch (error) {
    tell(`commands need --url for this node: cannot write to ${folder} (${(error as Error).message})\n`)
    return undefined
  }
}

/** Disposing removes the file. Throws if the folder cannot be written. */
export function leaveNodeRecord(folder: string, record: NodeRecord): Disposable {
  const isOurFolder = !exists(folder)
  for (const pid of recordedPids(folder)) {
    if (pid === record.pid || !isRunning(pid)) rmSync(join(folder, fileName(pid)), { force: true })
  }
  const write = () => {
    makePrivateFolder(folder)
    writePrivateFile(join(folder, fileName(record.pid)), `${JSON.stringify(record)}\n`)
  }
  try {
    write()
  } catch (error) {
    if ((error as { code?: string }).code !== 'ENOENT') throw error
    write() // Another node has just stopped and removed the folder.
  }
  return {
    [Symbol.dispose]() {
      try {
        rmSync(join(folder, fileName(record.pid)), { force: true })
        if (isOurFolder) rmdirSync(folder)
      } catch {} // Another node uses the folder, or it is gone.
    },
  }
}

/** Those whose process is alive. */
export function runningNodes(folder: string): NodeRecord[] {
  return recordedPids(folder)
    .filter(isRunning)
    .map((pid) => read(join(folder, fileName(pid))))
    .filter((record) => record !== undefined)
}

function read(file: string): NodeRecord | undefined {
  try {
    const record = JSON.parse(readFileSync(file, 'utf8')) as Partial<NodeRecord>
    const { url, grpcUrl, pid, secret, store, participants } = record
    if (typeof url !== 'string' || typeof pid !== 'number' || !URL.canParse(url)) return undefined
    const text = (value: unknown) => (typeof value === 'string' ? value : undefined)
    const named = Array.isArray(participants) ? participants.filter(isParticipant) : undefined
    const known = { secret: text(secret), store: text(store), grpcUrl: addressIn(grpcUrl) }
    return { url, pid, ...known, participants: named }
  } catch {
    return undefined // It was removed meanwhile, or is being written.
  }
}

function isParticipant(value: Partial<ParticipantRecord>): boolean {
  const isWhole = typeof value?.name === 'string' && addressIn(value.url) !== undefined
  return isWhole && (value.grpcUrl === undefined || addressIn(value.grpcUrl) !== undefined)
}

function addressIn(value: unknown): string | undefined {
  return typeof value === 'string' && URL.canParse(value) ? value : undefined
}

function recordedPids(folder: string): number[] {
  try {
    return readdirSync(folder)
      .flatMap((name) => filePattern.exec(name)?.[1] ?? [])
      .map(Number)
  } catch {
    return []
  }
}

function exists(folder: string): boolean {
  try {
    readdirSync(folder)
    return true
  } catch {
    return false
  }
}

/** Signal 0 only asks; a process of another account may not be asked, but is there. */
function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as { code?: string }).code === 'EPERM'
  }
}
