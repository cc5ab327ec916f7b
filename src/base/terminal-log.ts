// The log for people at a terminal: time, level, message, then the interesting fields. One line per entry, apart from
// stacks.

export type Terminal = {
  write(text: string): unknown
  /** Only terminals have it; it respects NO_COLOR, FORCE_COLOR and TERM. */
  hasColors?(): boolean
}

/** Shown without their names, because a request line is easy to recognize. */
type RequestFields = { stack?: unknown; operation?: string; status?: number; durationMs?: number }

type Written = 'debug' | 'info' | 'warn' | 'error'

const severity = { trace: 0, debug: 1, info: 2, warn: 3, error: 4, silent: 5 } as const
const colours: Readonly<Record<Written, number>> = { debug: 90, info: 32, warn: 33, error: 31 }
const grey = 90

/** Longer values are cut to keep the line readable. */
const valueLengthMax = 500

export function createTerminalLog(level: keyof typeof severity, terminal: Terminal, now: () => Date) {
  const isColoured = terminal.hasColors?.() ?? false
  const paint = (colour: number, text: string) => (isColoured ? `\u001b[${colour}m${text}\u001b[0m` : text)

  const writer = (written: Written) => {
    if (severity[written] < severity[level]) return () => undefined
    const label = paint(colours[written], written.padEnd(5))
    return (fields: object, message: string) => {
      const time = paint(grey, now().toTimeString().slice(0, 8))
      const { stack, operation, status, durationMs, ...rest } = fields as RequestFields
      const request = [operation, status, durationMs === undefined ? undefined : `${durationMs.toFixed(1)} ms`]
        .filter((word) => word !== undefined)
        .map((word) => ` ${printable(String(word))}`)
      const words = Object.entries(rest)
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => ` ${paint(grey, `${name}=`)}${shown(value)}`)
      const trace = typeof stack === 'string' ? `\n${printable(stack.replaceAll('\n', '\n  '), true)}` : ''
      terminal.write(`${time} ${label} ${printable(message)}${request.join('')}${words.join('')}${trace}\n`)
    }
  }

  return {
    isDebug: severity.debug >= severity[level],
    debug: writer('debug'),
    info: writer('info'),
    warn: writer('warn'),
    error: writer('error'),
  }
}

function shown(value: unknown): string {
  if (typeof value === 'number') return String(Number.isInteger(value) ? value : Number(value.toFixed(1)))
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value))
  const cut = text.length > valueLengthMax ? `${text.slice(0, valueLengthMax)}…` : text
  return typeof value === 'string' && /[\s"]/.test(cut) ? JSON.stringify(printable(cut)) : printable(cut)
}

/** Client text must not move the cursor or change the colours of the terminal. */
function printable(text: string, keepsLines = false): string {
  return text.replaceAll(/\p{Cc}|\p{Cf}/gu, (letter) => (keepsLines && letter === '\n' ? letter : ' '))
}
