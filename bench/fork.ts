// tallystick start --fork: how fast the contracts of a participant become those of a fork, against a client that only reads
// them.
import { wallClock } from '../src/base/clock.ts'
import { createLedgerClient } from '../src/ledger-client/ledger-client.ts'
import { type BenchLedger, startLedger } from './ledger.ts'
import { median, startServer, tallystick, temporaryFolder } from './processes.ts'

const contracts = 100_000
const contractsAtOnce = 500
const rounds = 3

/** From the start of the process to its first answer, with all contracts. */
export async function forking() {
  using folder = temporaryFolder()
  await using ledger = await startLedger(folder.path)
  await fill(ledger)
  const [ours, theirs]: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round += 1) {
    using own = temporaryFolder()
    const words = ['start', '--fork', ledger.server.url, '--token', ledger.token, '--data', own.path]
    const free = ['--port', '0', '--grpc-port', 'off', '--log-level', 'error', '--auth', 'off']
    await using fork = await startServer(tallystick(...words, ...free), '/v2/state/ledger-end')
    ours.push((contracts / fork.readyMs) * 1000)
    theirs.push((contracts / (await bareReadMs(ledger))) * 1000)
  }
  const [a, b] = [median(ours), median(theirs)]
  return { ours: Math.round(a), theirs: Math.round(b), unit: 'contracts/s', ratio: a / b }
}

async function fill({ call, parties: [issuer, owner] }: BenchLedger): Promise<void> {
  for (let done = 0; done < contracts; done += contractsAtOnce) {
    const commands = Array.from({ length: contractsAtOnce }, (_, index) => ({
      CreateCommand: {
        templateId: '#quickstart:Iou:Iou',
        createArguments: { issuer, owner, amount: String(done + index + 1), currency: 'EUR', observers: [] },
      },
    }))
    await call('POST', '/v2/commands/submit-and-wait', { commands, commandId: `fill ${done}`, actAs: [issuer, owner] })
  }
}

/** The same request as that of a fork; each contract is parsed and dropped. */
async function bareReadMs({ server, token, parties }: BenchLedger): Promise<number> {
  const client = createLedgerClient(server.url, async () => token, wallClock)
  const { offset: activeAtOffset } = await client.get<{ offset: number }>('/v2/state/ledger-end')
  const filter = { identifierFilter: { WildcardFilter: { value: { includeCreatedEventBlob: true } } } }
  const filtersByParty = Object.fromEntries(parties.map((party) => [party, { cumulative: [filter] }]))
  const request = { activeAtOffset, eventFormat: { filtersByParty, verbose: true } }
  const startedMs = performance.now()
  let count = 0
  for await (const _ of client.stream('/v2/state/active-contracts', request, new AbortController().signal)) count += 1
  if (count !== contracts) throw new Error(`${count} contracts`)
  return performance.now() - startedMs
}
