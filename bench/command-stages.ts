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

type Rule = readonly [stage: string, url: RegExp, functionName?: RegExp]

const idle = 'idle'
const other = 'other JavaScript'
const handingOver =
  /^(packRequest|textOf|unpackRequest|submit|dispatch|dispatchSoon|handOut|add|send|allow|take|takeAll)$/

/** The first that fits a frame; in the order of the table. */
const rules: readonly Rule[] = [
  [idle, /^$/, /^\(idle\)$/],
  ['outside JavaScript (system calls, messages between threads)', /^$/, /^\(program\)$/],
  ['garbage collection', /^$/, /^\(garbage collector\)$/],
  [
    'reading the request',
    /\/http\/(server|pipelining|body-reader|router|listener|front-door|under-way|deadlines|call-context|trace|streams)/,
  ],
  ['token and rights', /\/src\/auth\/|\/ledger\/administration\/|\/http\/bearer/],
  ['decoding', /\/http\/(wire|routes|operations|route-input|accept)|\/codec\/exact-json/],
  [
    'validation and routing',
    /\/ledger\/(submission|packages|routing|hints|ledger-time|synchronizers|command-metrics|development)/,
  ],
  ['handing over to the engine', /\/engine\/pool\//, handingOver],
  ['hashing', /\/(hash|hashing|seeds|suffix|authentication-data)[\w-]*\.ts/],
  [
    'rendering',
    /\/engine\/requests\/(served-transaction|events)|\/base\/(growing-bytes|packed-text)|\/codec\/(json|time-text)/,
  ],
  ['handing back', /\/engine\/pool\/|node:internal\/(worker|per_context\/messageport)/],
  ['interpretation', /\/src\/(engine|lf)\//],
  ['commit: queue', /\/commit\/(batch|commit-queue|commit-metrics)|\/base\/(fair-queue|queue)/],
  ['commit: decision', /\/commit\/(commit-decision|deduplication|signed-transactions|known-state)/],
  ['commit: rows', /\/ledger\/(commit|stored-update|number-lists|names)|\/store\/(?!sqlite|database)/],
  ['SQLite: statements', /\/store\/(sqlite|sqlite-rows)\.ts/, /^(insert|delete|query|runEach|prepared|run|all)$/],
  ['SQLite: flush and condition', /\/store\/sqlite-(log|files|condition)|node:fs/],
  ['SQLite: checkpoints', /\/store\/sqlite-checkpoint-thread/],
  ['SQLite: commit and the rest', /\/store\//],
  ['publishing', /\/ledger\//],
  ['answering', /\/http\/(replies|responses|rendered-json|http-metrics)|node:_http_outgoing/],
  ['reading the request', /\/src\/http\/|node:(net|_http|events|internal\/(streams|http|net|stream_base))/],
]

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
    const rule = rules.find(([, url, name]) => url.test(callFrame.url) && (name?.test(callFrame.functionName) ?? true))
    const stage = rule?.[0] ?? inherited
    stages.set(id, stage)
    for (const child of children) visit(child, stage)
  }
  visit(nodes[0]!.id, other)
  return stages
}
