// The part of HOCON that configuration files of Canton are written in: objects, lists, quoted and plain values, comments,
// keys with dots. Includes, substitutions and concatenations are refused by name, never read as something else.
import { UsageError } from '../command.ts'

/** A plain value stays text: what it means is up to its key. */
export type HoconValue = string | readonly HoconValue[] | HoconObject
export type HoconObject = ReadonlyMap<string, HoconValue>

/** Deeper files are no configuration. */
const depthMax = 50

const token =
  /(?<space>[ \t\r\ufeff]+|(?:#|\/\/)[^\n]*)|(?<line>\n)|(?<triple>"""[\s\S]*?"""+)|(?<quoted>"(?:[^"\\\n]|\\.)*")|(?<sign>\+=|[{}[\]=:,])|(?<plain>(?:(?!\/\/|\+=)[^\s{}[\]=:,#"])+)/y

type Token = { readonly kind: 'line' | 'quoted' | 'sign' | 'plain' | 'end'; readonly text: string; readonly at: number }

export function parseHocon(text: string, file: string): HoconObject {
  const tokens = tokensOf(text, file)
  let next = 0

  const peek = () => tokens[next]!
  const isSign = (sign: string) => peek().kind === 'sign' && peek().text === sign
  const fail = (problem: string): never => {
    throw new UsageError(`${file}, line ${lineAt(text, peek().at)}: ${problem}`)
  }
  const skipLines = () => {
    while (peek().kind === 'line') next += 1
  }
  const skipSeparators = () => {
    while (peek().kind === 'line' || isSign(',')) next += 1
  }

  function object(end: '}' | 'end', depth: number): Map<string, HoconValue> {
    if (depth > depthMax) fail('this is nested too deeply')
    const found = new Map<string, HoconValue>()
    for (skipSeparators(); !isEnd(end); skipSeparators()) {
      const path = key()
      skipLines()
      if (isSign('+=')) fail('+= is not supported; write the whole list')
      if (isSign('=') || isSign(':')) next += 1
      else if (!isSign('{')) fail(`= or { is missing after ${path.join('.')}`)
      skipLines()
      put(found, path, value(depth))
      if (!isEnd(end) && peek().kind !== 'line' && !isSign(','))
        fail('a line holds one value; quote texts with spaces or signs')
    }
    if (end === '}') next += 1
    return found
  }

  function isEnd(end: '}' | 'end'): boolean {
    if (end === '}' && peek().kind === 'end') fail('} is missing')
    return end === 'end' ? peek().kind === 'end' : isSign('}')
  }

  function key(): string[] {
    const { kind, text: name } = peek()
    if (kind !== 'plain' && kind !== 'quoted') fail(`${name} is no key`)
    if (kind === 'plain' && name === 'include') fail('include is not supported; give every file with -c')
    next += 1
    if (kind === 'quoted')
      return [name, ...(peek().kind === 'plain' && peek().text.startsWith('.') ? key().slice(1) : [])]
    const names = name.split('.')
    return peek().kind === 'quoted' && names.at(-1) === '' ? [...names.slice(0, -1), ...key()] : names
  }

  function value(depth: number): HoconValue {
    const { kind, text: plain } = peek()
    if (isSign('{')) {
      next += 1
      return object('}', depth + 1)
    }
    if (isSign('[')) return list(depth + 1)
    if (kind !== 'plain' && kind !== 'quoted') fail('a value is missing')
    if (kind === 'plain' && plain.startsWith('$')) fail('substitutions ($…) are not supported; write the value')
    next += 1
    return plain
  }

  function list(depth: number): HoconValue[] {
    if (depth > depthMax) fail('this is nested too deeply')
    const items: HoconValue[] = []
    next += 1
    for (skipSeparators(); !isSign(']'); skipSeparators()) {
      if (peek().kind === 'end') fail('] is missing')
      items.push(value(depth))
    }
    next += 1
    return items
  }

  skipLines()
  const isBraced = isSign('{')
  if (isBraced) next += 1
  const root = object(isBraced ? '}' : 'end', 0)
  skipLines()
  if (peek().kind !== 'end') fail('nothing may follow the last }')
  return root
}

/** Objects are merged; of other values the later one counts. */
function put(into: Map<string, HoconValue>, [name = '', ...rest]: readonly string[], value: HoconValue): void {
  const present = into.get(name)
  if (rest.length > 0) {
    const inner = present instanceof Map ? present : new Map<string, HoconValue>()
    into.set(name, inner)
    put(inner, rest, value)
  } else if (present instanceof Map && value instanceof Map) {
    for (const [key, one] of value) put(present, [key], one)
  } else into.set(name, value)
}

function tokensOf(text: string, file: string): Token[] {
  const tokens: Token[] = []
  token.lastIndex = 0
  let at = 0
  while (at < text.length) {
    token.lastIndex = at
    const { groups = {} } = token.exec(text) ?? {}
    const { space, line, triple, quoted, sign, plain } = groups
    const length = (space ?? line ?? triple ?? quoted ?? sign ?? plain)?.length
    if (length === undefined) throw new UsageError(`${file}, line ${lineAt(text, at)}: a quoted text has no end`)
    if (line !== undefined) tokens.push({ kind: 'line', text: 'the end of the line', at })
    else if (triple !== undefined) tokens.push({ kind: 'quoted', text: triple.slice(3, -3), at })
    else if (quoted !== undefined) tokens.push({ kind: 'quoted', text: unquoted(quoted, file, lineAt(text, at)), at })
    else if (sign !== undefined) tokens.push({ kind: 'sign', text: sign, at })
    else if (plain !== undefined) tokens.push({ kind: 'plain', text: plain, at })
    at += length
  }
  tokens.push({ kind: 'end', text: 'the end of the file', at })
  return tokens
}

function unquoted(quoted: string, file: string, line: number): string {
  try {
    return JSON.parse(quoted) as string
  } catch {
    throw new UsageError(`${file}, line ${line}: a quoted text has an escape that JSON does not know`)
  }
}

function lineAt(text: string, at: number): number {
  return text.slice(0, at).split('\n').length
}
