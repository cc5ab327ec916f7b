// The node's metrics in the text form of Prometheus, as far as the overview shows them.
export type Sample = { readonly name: string; readonly labels: ReadonlyMap<string, string>; readonly value: number }

const line = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/
const label = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g

export function samplesIn(text: string): readonly Sample[] {
  return text.split('\n').flatMap((row): Sample[] => {
    const found = line.exec(row)
    if (found === null) return []
    const labels = [...(found[2] ?? '').matchAll(label)].map(([, name, value]) => [name!, value!] as const)
    return [{ name: found[1]!, labels: new Map(labels), value: Number(found[3]) }]
  })
}

/** What the overview shows of a moment: sums and totals since the start of the node. */
export type Moment = {
  readonly atMs: number
  readonly accepted: number
  readonly refused: number
  /** Refused and rejected commands by their error code. */
  readonly causes: ReadonlyMap<string, number>
  readonly commandSeconds: number
  readonly commandCount: number
  readonly memoryBytes: number
  readonly storeBytes: number
  readonly streams: number
}

export function momentFrom(samples: readonly Sample[], atMs: number): Moment {
  const sum = (name: string, isWanted: (labels: Sample['labels']) => boolean = () => true) =>
    samples.filter((one) => one.name === name && isWanted(one.labels)).reduce((total, { value }) => total + value, 0)
  const causes = new Map<string, number>()
  for (const { name, labels, value } of samples) {
    const code = labels.get('code')
    if (name !== 'tallystick_commands_total' || !code) continue
    causes.set(code, (causes.get(code) ?? 0) + value)
  }
  const isAccepted = (labels: Sample['labels']) => labels.get('outcome') === 'accepted'
  return {
    atMs,
    accepted: sum('tallystick_commands_total', isAccepted),
    refused: sum('tallystick_commands_total', (labels) => !isAccepted(labels)),
    causes,
    commandSeconds: sum('tallystick_command_duration_seconds_sum'),
    commandCount: sum('tallystick_command_duration_seconds_count'),
    memoryBytes: sum('process_resident_memory_bytes'),
    storeBytes: sum('tallystick_store_bytes'),
    streams: sum('tallystick_open_streams'),
  }
}

export type Rates = { readonly accepted: number; readonly refused: number; readonly latencyMs: number }

/** Between two moments. A node that was started anew counts from zero. */
export function ratesBetween(before: Moment, after: Moment): Rates {
  const seconds = Math.max(0.001, (after.atMs - before.atMs) / 1000)
  const rate = (name: 'accepted' | 'refused') => Math.max(0, after[name] - before[name]) / seconds
  const count = after.commandCount - before.commandCount
  const latencyMs = count <= 0 ? 0 : ((after.commandSeconds - before.commandSeconds) / count) * 1000
  return { accepted: rate('accepted'), refused: rate('refused'), latencyMs: Math.max(0, latencyMs) }
}
