// The CPU time of a command by stage, from the CPU profiles of a node's threads. A sample belongs to the innermost of
// its frames that a rule names, so what Node or V8 does for a stage counts as that stage.

export type Profile = {
  readonly nodes: readonly ProfileNode[]
  /** In microseconds, on the monotonic clock. */
  readonly startTime: number
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

type ProfileNode = {
  readonly id: number
  readonly callFrame: { readonly functionName: string; readonly url: string }
  readonly children?: readonly number[]
}

export type Span = { readonly fromUs: number; readonly toUs: number }

/** A place is a file or a folder of ours, a module of Node (or what its name begins with), or '' for V8 itself. */
type Rule = readonly [stage: string, places: readonly string[], functionName?: RegExp]

const idle = 'idle'
const other = 'other JavaScript'
const handingOver =
  /^(packRequest|textOf|unpackRequest|submit|createTask|dispatch|dispatchSoon|handOut|handOver|add|send|allow|take|takeAll)$/

/** The first that fits a frame; in the order of the table. */
const rules: readonly Rule[] = [
  [idle, [''], /^\(idle\)$/],
  ['outside JavaScript (system calls, messages between threads)', [''], /^\(program\)$/],
  ['garbage collection', [''], /^\(garbage collector\)$/],
  ['token and rights', ['src/auth/', 'src/ledger/administration/']],
  [
    'decoding',
    [
      'src/api/wire/',
      'src/api/routes/',
      'src/api/route.ts',
      'src/api/route.ts',
      'src/http/exchange.ts',
      'src/http/request-head.ts',
      'src/base/exact-json.ts',
    ],
  ],
  [
    'validation and routing',
    [
      'src/ledger/submission/',
      'src/ledger/packages/',
      'src/ledger/routing/',
      'src/ledger/inspection/',
      'src/ledger/topology/',
      'src/ledger/commit/ids.ts',
      'src/ledger/commit/in-flight.ts',
      'src/ledger/commit/outcome.ts',
      'src/ledger/model/ledger-time.ts',
      'src/ledger/model/synchronizers.ts',
      'src/ledger/commit/command-metrics.ts',
    ],
  ],
  ['handing over to the engine', ['src/engine/pool/'], handingOver],
  [
    'hashing',
    [
      'src/engine/transaction/authentication-data.ts',
      'src/engine/transaction/seeds.ts',
      'src/engine/transaction/suffix.ts',
      'src/lf/codec/hash-input.ts',
      'src/lf/codec/hash.ts',
    ],
  ],
  [
    'rendering',
    [
      'src/engine/requests/served-transaction.ts',
      'src/events/format/transaction-writing.ts',
      'src/engine/requests/events.ts',
      'src/base/growing-bytes.ts',
      'src/events/format/packed-text.ts',
      'src/lf/codec/json.ts',
      'src/lf/codec/json-encoding.ts',
      'src/lf/codec/json-decoding.ts',
      'src/lf/codec/time-text.ts',
    ],
  ],
  ['handing back', ['src/engine/pool/', 'node:internal/worker', 'node:internal/per_context/messageport']],
  ['interpretation', ['src/engine/', 'src/lf/']],
  [
    'commit: queue',
    [
      'src/ledger/commit/batch.ts',
      'src/ledger/commit/commit-queue.ts',
      'src/ledger/commit/store-writer.ts',
      'src/ledger/commit/commit-metrics.ts',
      'src/base/fair-queue.ts',
    ],
  ],
  [
    'commit: decision',
    [
      'src/ledger/commit/commit-decision.ts',
      'src/ledger/commit/deduplication.ts',
      'src/ledger/commit/signed-transactions.ts',
      'src/ledger/commit/known-state.ts',
    ],
  ],
  [
    'commit: rows',
    [
      'src/ledger/commit/',
      'src/events/format/event-pieces.ts',
      'src/events/format/stored-update.ts',
      'src/ledger/model/name-numbers.ts',
      'src/store/core/',
      'src/store/records/',
    ],
  ],
  ['SQLite: statements', ['src/store/sqlite/'], /^(insert|delete|query|runEach|prepared|run|all)$/],
  [
    'SQLite: flush and condition',
    ['src/store/sqlite/flushing.ts', 'src/store/sqlite/write-ahead-log.ts', 'src/store/sqlite/condition.ts', 'node:fs'],
  ],
  ['SQLite: checkpoints', ['src/store/sqlite/checkpoint-thread.ts']],
  ['SQLite: commit and the rest', ['src/store/']],
  ['publishing', ['src/ledger/']],
  [
    'answering',
    [
      'src/http/send-response.ts',
      'src/http/response-body.ts',
      'src/http/shared-answer.ts',
      'src/http/send-response.ts',
      'node:_http_outgoing',
    ],
  ],
  [
    'reading the request',
    [
      'src/http/',
      'src/api/',
      'node:net',
      'node:_http',
      'node:events',
      'node:internal/streams',
      'node:internal/http',
      'node:internal/net',
      'node:internal/stream_base',
    ],
  ],
]

/** Places of ours that the rules name. */
export const placesOfStages: readonly string[] = rules
  .flatMap(([, places]) => places)
  .filter((place) => place.startsWith('src/'))

/** The share of each stage in the busy time of a thread, in the order of the table. */
export function stagesOf(profile: Profile, { fromUs, toUs }: Span): Map<string, number> {
  const stageOf = stagesByNode(profile)
  const times = new Map<string, number>([...rules.map(([stage]) => stage), other].map((stage) => [stage, 0]))
  let nowUs = profile.startTime
  for (const [index, id] of profile.samples.entries()) {
    const tookUs = profile.timeDeltas[index]!
    nowUs += tookUs
    if (nowUs < fromUs || nowUs > toUs) continue
    const stage = stageOf.get(id)!
    times.set(stage, times.get(stage)! + tookUs)
  }
  times.delete(idle)
  const allUs = [...times.values()].reduce((sum, us) => sum + us, 0)
  return new Map([...times].map(([stage, us]) => [stage, allUs === 0 ? 0 : us / allUs]))
}

/** A frame without a rule belongs to the stage of its caller. */
function stagesByNode({ nodes }: Profile): Map<number, string> {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const stages = new Map<number, string>()
  const visit = (id: number, inherited: string) => {
    const { callFrame, children = [] } = byId.get(id)!
    const rule = rules.find(
      ([, places, name]) =>
        places.some((place) => isAt(callFrame.url, place)) && (name?.test(callFrame.functionName) ?? true),
    )
    const stage = rule?.[0] ?? inherited
    stages.set(id, stage)
    for (const child of children) visit(child, stage)
  }
  visit(nodes[0]!.id, other)
  return stages
}

function isAt(url: string, place: string): boolean {
  if (place === '') return url === ''
  return place.startsWith('src/') ? url.includes(`/${place}`) : url.startsWith(place)
}
