// A valid body with one thing wrong at a time: every field missing, null, and of every other kind.

/** Of each type; a text may be any text in protobuf, but never a number. */
const replacementsOf: Readonly<Record<string, readonly unknown[]>> = {
  string: ['', 'x', 'x y', 'ä::1220', '0'],
  number: [0, -1, 2 ** 31 - 1],
  boolean: [true, false],
  object: [{}, []],
}

const replacements: readonly unknown[] = [null, '', 'x', 5, -1, true, [], {}]

type Place = { readonly path: readonly string[]; readonly value: unknown }

export type Mutation = { readonly note: string; readonly body: unknown }

export function mutationsOf(body: unknown): Mutation[] {
  const whole = replacements.map((value) => ({ note: `the body is ${JSON.stringify(value)}`, body: value }))
  return [...whole, ...placesIn(body, []).flatMap((place) => atPlace(body, place))]
}

/** For messages of gRPC: what is replaced keeps its type. */
export function typedMutationsOf(body: unknown): Mutation[] {
  return placesIn(body, []).flatMap((place) => {
    const ofType = replacementsOf[typeof place.value] ?? []
    return atPlace(
      body,
      place,
      ofType.filter((other) => Array.isArray(other) === Array.isArray(place.value)),
    )
  })
}

function atPlace(body: unknown, { path, value }: Place, values = replacements): Mutation[] {
  const name = path.join('.')
  const others = values.filter((other) => JSON.stringify(other) !== JSON.stringify(value))
  return [
    { note: `without ${name}`, body: changed(body, path, undefined) },
    ...others.map((other) => ({ note: `${name} is ${JSON.stringify(other)}`, body: changed(body, path, other) })),
  ]
}

function placesIn(value: unknown, path: readonly string[]): Place[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, part]): Place[] => {
    const here = [...path, key]
    return [{ path: here, value: part }, ...placesIn(part, here)]
  })
}

/** A copy in which a place has another value, or none. */
function changed(body: unknown, path: readonly string[], value: unknown): unknown {
  const copy = structuredClone(body)
  let parent = copy as Record<string, unknown>
  for (const key of path.slice(0, -1)) parent = parent[key] as Record<string, unknown>
  const last = path.at(-1)!
  if (value !== undefined) parent[last] = value
  else if (Array.isArray(parent)) parent.splice(Number(last), 1)
  else delete parent[last]
  return copy
}
