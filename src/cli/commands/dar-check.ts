// tallystick dar check: whether a node would take a DAR beside other versions of its packages, and why not.
import { readFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { StartError } from '../../base/errors.ts'
import { confinedThread } from '../../base/thread-sandbox.ts'
import type { DarAccount } from '../../lf/upgrading/account.ts'
import type { Command } from '../command.ts'
import type { CheckedFile, DarCheckWanted, FromDarCheckThread } from '../dar-check-thread.ts'
import { withProgress } from '../progress.ts'

type Flags = { readonly against?: readonly string[]; readonly json?: boolean }

/** As for the thread of an upload: expressions nest up to the archive's limits, and types further. */
const stackMb = 64
const heapMb = 2_048

export const darCheckCommand: Command = {
  summary: 'check that a node would take a DAR, beside other versions of its packages',
  usage: 'tallystick dar check FILE [--against FILE]… [--json]',
  operands: ['FILE'],
  options: {
    against: {
      type: 'string',
      multiple: true,
      value: 'FILE',
      help: 'a DAR with another version; may be repeated',
    },
    json: { type: 'boolean', help: 'print JSON instead of text' },
  },
  notes:
    'Checks types, dependencies and upgrades, as an upload does, and shows all that is wrong.\n' +
    'Ends with 1 if an upload would be refused.',
  async run({ against = [], json }: Flags, surroundings, [file]) {
    const { print, endWith } = surroundings
    // Loaded here, so that starting a node does not wait for it.
    const { isAcceptable, renderAccount } = await import('../../lf/upgrading/render-account.ts')
    const account = await withProgress('checking', surroundings, checkAside([file!, ...against].map(readFile)))
    print(json ? JSON.stringify(account, null, 2) : renderAccount(account))
    endWith(isAcceptable(account) ? 0 : 1)
  },
}

function readFile(file: string): CheckedFile {
  try {
    return { file, bytes: new Uint8Array(readFileSync(file)) }
  } catch (error) {
    throw new StartError(`cannot read the DAR: ${(error as Error).message}`)
  }
}

async function checkAside(files: readonly CheckedFile[]): Promise<DarAccount> {
  const thread = import.meta.url.endsWith('.ts') ? '../dar-check-thread.ts' : './dar-check-thread.mjs'
  const worker = new Worker(new URL(thread, import.meta.url), {
    ...confinedThread,
    workerData: { files } satisfies DarCheckWanted,
    resourceLimits: { maxOldGenerationSizeMb: heapMb, stackSizeMb: stackMb },
  })
  try {
    const answer = await new Promise<FromDarCheckThread>((resolve, reject) => {
      worker.once('message', resolve)
      worker.once('error', reject)
      worker.once('exit', (code) => reject(new Error(`the thread that checked a DAR ended with ${code}`)))
    })
    if (answer.kind === 'refused') throw new StartError(answer.message)
    return answer.account
  } catch (error) {
    const isMemory = (error as { code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY'
    throw isMemory ? new StartError('the DAR takes more memory than a node allows') : error
  } finally {
    await worker.terminate()
  }
}
