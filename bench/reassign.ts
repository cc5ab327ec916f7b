// Reassigned contracts per second, beside commands per second of the same clients.
import { Agent } from 'node:http'
import { type BenchLedger, createAndExercise, post, type StoreKind, startLedger } from './ledger.ts'
import { median, temporaryFolder } from './processes.ts'

const connections = 32
const rounds = 3
const seconds = 5
/** V8 optimises the whole path only after a few thousand requests. */
const warmRounds = 3

type Client = {
  /** One iteration of a connection. */
  turn(connection: number): Promise<void>
}

/** Each connection waits for its answers, because an assignment needs the id from the unassignment. */
export async function reassignments(kind: StoreKind) {
  using folder = temporaryFolder()
  await using ledger = await startLedger(folder.path, kind)
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const send = async (path: string, body: object) =>
    JSON.parse(String(await post(ledger.server.url + path, ledger.headers, JSON.stringify(body), agent)))
  const moving = await movingClient(ledger, send)
  const submitting = submittingClient(ledger, send)
  for (let round = 0; round < warmRounds; round += 1) {
    await rateOf(moving)
    await rateOf(submitting)
  }
  const results: [number, number][] = []
  for (let round = 0; round < rounds; round += 1) results.push([await rateOf(moving), await rateOf(submitting)])
  agent.destroy()
  const [a, b] = [median(results.map(([one]) => one)), median(results.map(([, other]) => other))]
  return { ours: Math.round(a), theirs: Math.round(b), unit: 'per s', ratio: a / b }
}

type Send = (path: string, body: object) => Promise<Answer>

type Answer = {
  readonly transaction: { readonly events: readonly { readonly CreatedEvent?: { readonly contractId: string } }[] }
  readonly reassignment: {
    readonly events: readonly { readonly JsUnassignedEvent: { readonly value: { readonly reassignmentId: string } } }[]
  }
}

/** One contract per connection, which moves there and back. */
async function movingClient({ parties, call }: BenchLedger, send: Send): Promise<Client> {
  const { connectedSynchronizers } = (await call('GET', '/v2/state/connected-synchronizers')) as {
    connectedSynchronizers: { synchronizerId: string }[]
  }
  const [here, there] = connectedSynchronizers.map(({ synchronizerId }) => synchronizerId) as [string, string]
  const [submitter] = parties
  const contracts: { contractId: string; source: string; target: string }[] = []
  for (let connection = 0; connection < connections; connection += 1) {
    const commands = createAndExercise(parties, `moving-${connection}`)
    const { transaction } = await send('/v2/commands/submit-and-wait-for-transaction', { commands })
    const created = transaction.events.find((event) => event.CreatedEvent)!.CreatedEvent!
    contracts.push({ contractId: created.contractId, source: here, target: there })
  }
  let number = 0
  const reassign = (command: object) =>
    send('/v2/commands/submit-and-wait-for-reassignment', {
      reassignmentCommands: { commandId: `move-${number++}`, submitter, commands: [{ command }] },
      eventFormat: { filtersByParty: { [submitter]: {} } },
    })
  return {
    async turn(connection) {
      const { contractId, source, target } = contracts[connection]!
      const { reassignment } = await reassign({ UnassignCommand: { value: { contractId, source, target } } })
      const { reassignmentId } = reassignment.events[0]!.JsUnassignedEvent.value
      await reassign({ AssignCommand: { value: { reassignmentId, source, target } } })
      contracts[connection] = { contractId, source: target, target: source }
    },
  }
}

function submittingClient({ parties }: BenchLedger, send: Send): Client {
  let number = 0
  return {
    async turn() {
      await send('/v2/commands/submit-and-wait', createAndExercise(parties, `submit-${number++}`))
    },
  }
}

/** Iterations per second of all connections. */
async function rateOf({ turn }: Client): Promise<number> {
  const startedMs = performance.now()
  let turns = 0
  const work = async (connection: number) => {
    while (performance.now() - startedMs < seconds * 1000) {
      await turn(connection)
      turns += 1
    }
  }
  await Promise.all(Array.from({ length: connections }, (_, connection) => work(connection)))
  return (turns / (performance.now() - startedMs)) * 1000
}
