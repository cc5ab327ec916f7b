// Makes the recorded cases again and says which outcomes differ from the reference's, in a thread with a large stack.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { submitted } from '../replay-submissions.ts'
import { digestLength, digestOf } from './digests.ts'

export type GeneratedKind = 'expressions' | 'submissions' | 'updates' | 'json'

/** How many were compared, and `seed.case` of each that differs. */
export type GeneratedReplay = { readonly compared: number; readonly differ: readonly string[] }

export function replayGenerated(kind: GeneratedKind): Promise<GeneratedReplay> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(fileURLToPath(import.meta.url), {
      workerData: { generated: kind },
      resourceLimits: { stackSizeMb: 64 },
    })
    thread.once('message', resolve)
    thread.once('error', reject)
  })
}

/** The digests of our outcomes for a seed; undefined where the reference's does not count. */
type Outcomes = (seed: number, recorded: readonly string[]) => Promise<readonly (string | undefined)[]>

const outcomes: Readonly<Record<GeneratedKind, Outcomes>> = {
  async expressions(seed) {
    const { archiveOfExpressions, evaluationsOf, outcomeText } = await import('./expression-packages.ts')
    return evaluationsOf(archiveOfExpressions(seed)).map((outcome) => digestOf(outcomeText(outcome)))
  },
  async submissions(seed) {
    const { openLedger, outcomeText } = await import('./submission-packages.ts')
    ledger ??= openLedger()
    const { loaded, sequence } = ledger
    return sequence(seed).map((entry) => digestOf(outcomeText(submitted(entry, loaded))))
  },
  async updates(seed) {
    const { outcomeText } = await import('./submission-packages.ts')
    const { openUpdateLedger } = await import('./update-ledgers.ts')
    const { cases, loaded } = openUpdateLedger(seed)
    return cases().map((entry) => digestOf(outcomeText(submitted(entry, loaded))))
  },
  async json(seed, recorded) {
    const { jsonAnswers, jsonPackage } = await import('./json-packages.ts')
    const { answerText } = await import('./json-answers.ts')
    return jsonAnswers(jsonPackage(seed)).map((answer, index) => {
      const withText = digestOf(answerText(answer))
      // Where the reference shows no text of its own, only the code is recorded.
      return withText === recorded[index] || 'json' in answer
        ? withText
        : digestOf(answerText({ ...answer, reason: '' }))
    })
  },
}

let ledger: ReturnType<typeof import('./submission-packages.ts').openLedger> | undefined

/** Not recorded: refused before interpretation, or a difference on purpose. */
const nothing = '.'.repeat(digestLength)

async function replay(kind: GeneratedKind): Promise<GeneratedReplay> {
  const rows = readFileSync(new URL(`${kind}.txt`, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
  let compared = 0
  const differ: string[] = []
  for (const row of rows) {
    const [seed, digests] = row.split(' ') as [string, string]
    const recorded = digests.match(new RegExp(`.{${digestLength}}`, 'g')) ?? []
    const ours = await outcomes[kind](Number(seed), recorded)
    for (const [index, digest] of recorded.entries()) {
      if (digest === nothing) continue
      compared += 1
      if (digest !== ours[index]) differ.push(`${seed}.${index}`)
    }
  }
  return { compared, differ }
}

if (!isMainThread && workerData?.generated !== undefined) parentPort!.postMessage(await replay(workerData.generated))
