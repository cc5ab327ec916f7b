// What `import … from 'tallystick'` gives. A node runs in this process if it can, otherwise in a child.
import { resolve } from 'node:path'
import { runInThisContext } from 'node:vm'
import { transactionText as textOf } from '../base/transaction-text.ts'
import type { StartNetwork, StartNode, TransactionText } from './api.ts'
import { findRuntime, isOlderNode, startInChild } from './child-process.ts'
import type { RunningNode, StartOptions, StartRunningNode } from './running-node.ts'
import { createTestNetwork } from './test-network.ts'
import { createTestNode } from './test-node.ts'

/** Jest gives test files another global object, with other classes; a node would not run there. */
const isInOwnRealm = runInThisContext('globalThis') !== globalThis
const needsChild = isOlderNode || isInOwnRealm

export const startNode: StartNode = async (options = {}) => createTestNode(await start(options))

export const startNetwork: StartNetwork = async ({ participants, synchronizers, grpc, ...options }) => {
  const { world } = options
  if (participants === undefined && world === undefined) throw new Error('startNetwork needs participants, or a world')
  const aliases = synchronizers ?? (world === undefined ? ['global'] : undefined)
  const network = {
    ...(participants && { participants: participants.map((one) => (typeof one === 'string' ? { name: one } : one)) }),
    ...(aliases && { synchronizers: aliases }),
  }
  return createTestNetwork(await start({ ...options, ...(grpc && { grpcPort: 0 }), network }))
}

async function start(options: StartOptions): Promise<RunningNode> {
  const startRunning = needsChild ? startInChild : await inThisProcess()
  return startRunning(withAbsolutePaths(options))
}

export const transactionText: TransactionText = textOf

/** Finds what nodes run on. It is worth its own call, because the first time this may take longer than a test may. */
export function prepareNodes(): void {
  if (needsChild) findRuntime()
}

/** On demand, because it is large; by its address, because an older Node cannot even read it. */
async function inThisProcess(): Promise<StartRunningNode> {
  const file = import.meta.url.endsWith('.ts') ? './in-process.ts' : './in-process.mjs'
  const { startInProcess }: typeof import('./in-process.ts') = await import(new URL(file, import.meta.url).href)
  return startInProcess
}

/** A child has another working folder if this process has changed its own. */
function withAbsolutePaths(options: StartOptions): StartOptions {
  const { dars, world, data } = options
  return {
    ...options,
    ...(dars !== undefined && { dars: dars.map((dar) => resolve(dar)) }),
    ...(world !== undefined && { world: resolve(world) }),
    ...(data !== undefined && { data: resolve(data) }),
  }
}
