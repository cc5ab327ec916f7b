// A contract as two ledgers are compared: its fields, its key and its parties, in whatever order a ledger writes them.

export type ComparedContract = Content & {
  readonly contractId: string
  /** `#package-name:Module:Template`: all versions of a template share it. */
  readonly template: string
}

/** As the JSON Ledger API writes it; parties are sorted. */
export type Content = {
  readonly createArgument: unknown
  /** Null without a key. */
  readonly contractKey: unknown
  readonly signatories: readonly string[]
  readonly observers: readonly string[]
}

/** Equal texts stand for equal contents. */
export function contentText({ createArgument, contractKey, signatories, observers }: Content): string {
  return JSON.stringify(inOrder({ createArgument, contractKey, signatories, observers }))
}

export function contentFrom(text: string): Content {
  return JSON.parse(text)
}

/** Without what two ledgers never share: contract ids, and the namespaces of parties. */
export function withoutNamespaces({ createArgument, contractKey, signatories, observers }: Content): Content {
  const hints = (parties: readonly string[]) => parties.map((party) => withoutIds(party) as string).sort()
  return {
    createArgument: withoutIds(createArgument),
    contractKey: withoutIds(contractKey),
    signatories: hints(signatories),
    observers: hints(observers),
  }
}

const contractIdPattern = /^00[0-9a-f]{64,}$/
const namespacePattern = /::1220[0-9a-f]{64}$/

function withoutIds(value: unknown): unknown {
  if (typeof value === 'string') {
    return contractIdPattern.test(value) ? 'a contract id' : value.replace(namespacePattern, '')
  }
  return mapped(value, withoutIds)
}

function inOrder(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return mapped(value, inOrder)
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return withoutPrototype(entries.map(([name, part]) => [name, inOrder(part)]))
}

function mapped(value: unknown, change: (part: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map(change)
  if (typeof value !== 'object' || value === null) return value
  return withoutPrototype(Object.entries(value).map(([name, part]) => [name, change(part)]))
}

/** Names come from ledgers, and one of them may be `__proto__`. */
function withoutPrototype(entries: readonly (readonly [string, unknown])[]): object {
  const object = Object.create(null) as Record<string, unknown>
  for (const [name, part] of entries) object[name] = part
  return object
}
