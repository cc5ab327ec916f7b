// Where two values differ, by path.

export type FieldDifference = {
  /** `amount`, `owner.name`, `items.3`; empty for the whole value. */
  readonly path: string
  /** Undefined where one of the two has nothing. */
  readonly a: unknown
  readonly b: unknown
}

/** In the order of the names. */
export function fieldDifferences(a: unknown, b: unknown, path = ''): FieldDifference[] {
  if (isRecord(a) && isRecord(b)) {
    const names = [...new Set([...Object.keys(a), ...Object.keys(b)])].sort()
    return names.flatMap((name) => fieldDifferences(at(a, name), at(b, name), below(path, name)))
  }
  if (Array.isArray(a) && Array.isArray(b) && a.length === b.length) {
    return a.flatMap((item, index) => fieldDifferences(item, b[index], below(path, String(index))))
  }
  return JSON.stringify(a) === JSON.stringify(b) ? [] : [{ path, a, b }]
}

const below = (path: string, name: string) => (path === '' ? name : `${path}.${name}`)

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function at(record: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(record, name) ? record[name] : undefined
}
