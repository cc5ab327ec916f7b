// Uploads of a large DAR: how long one takes until a command can use its packages, and how long others wait meanwhile.
import { generatedDar } from './generated-dar.ts'
import { type BenchLedger, createAndExercise, startLedger } from './ledger.ts'
import { median, temporaryFolder } from './processes.ts'

const packages = 50
const rounds = 5

/** Each round uploads other packages to the same node; the first one finds it cold. */
export async function uploadUntilUsed() {
  const aimMs = 1_500
  using folder = temporaryFolder()
  await using ledger = await startLedger(folder.path)
  const tookMs: number[] = []
  for (let round = 1; round <= rounds; round += 1) {
    const { bytes, mainId } = generatedDar(packages, round)
    const startedMs = performance.now()
    await upload(ledger, bytes)
    const [owner] = ledger.parties
    const create = { CreateCommand: { templateId: `${mainId}:Main:Note`, createArguments: { owner } } }
    const commands = { commands: [create], commandId: `note-${round}`, actAs: [owner] }
    await ledger.call('POST', '/v2/commands/submit-and-wait', commands)
    tookMs.push(performance.now() - startedMs)
  }
  const ours = median(tookMs)
  return { ours: Math.round(ours), theirs: aimMs, unit: 'ms', ratio: ours / aimMs }
}

/** The 99th percentile of sequential reads and commands while DARs are uploaded one after the other. */
export async function besideUploads() {
  const aimMs = 50
  using folder = temporaryFolder()
  await using ledger = await startLedger(folder.path)
  for (let count = 0; count < 200; count += 1) for (const one of requests(ledger, `warm-${count}`)) await one()
  const dars = Array.from({ length: rounds }, (_, i) => generatedDar(packages, i + 1).bytes)
  let isUploading = true
  const uploading = (async () => {
    for (const dar of dars) await upload(ledger, dar)
  })().finally(() => (isUploading = false))
  const tookMs: number[] = []
  for (let count = 0; isUploading; count += 1) {
    for (const one of requests(ledger, `beside-${count}`)) {
      const startedMs = performance.now()
      await one()
      tookMs.push(performance.now() - startedMs)
    }
  }
  await uploading
  const p99 = tookMs.sort((x, y) => x - y)[Math.floor(tookMs.length * 0.99)]!
  return { ours: Number(p99.toFixed(1)), theirs: aimMs, unit: 'ms', ratio: p99 / aimMs }
}

function requests(ledger: BenchLedger, commandId: string): (() => Promise<unknown>)[] {
  const command = createAndExercise(ledger.parties, commandId)
  return [
    () => ledger.call('GET', '/v2/users/participant_admin'),
    () => ledger.call('POST', '/v2/commands/submit-and-wait', command),
  ]
}

async function upload({ server, headers }: BenchLedger, bytes: Buffer): Promise<void> {
  const response = await fetch(`${server.url}/v2/dars`, { method: 'POST', headers, body: new Uint8Array(bytes) })
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
  await response.arrayBuffer()
}
