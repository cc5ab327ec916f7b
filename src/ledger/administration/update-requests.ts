// Update requests: the mask of fields that they change, and the version that they expect. Mirrors Canton's UpdateMapper: a
// path names a field or the message that contains it; a message changes only those fields that are not at their default
// in the request.
import { invalidField } from '../../base/errors.ts'
import { abbreviate } from '../../base/names.ts'

/** The fields that the mask selects; `exact` ones are set even to their default value. */
export type Selection = ReadonlyMap<string, 'exact' | 'inherited'>

/** `refuse` turns a reason into the error of this resource. */
export function selectFields(
  paths: readonly string[],
  fields: readonly string[],
  refuse: (reason: string) => Error,
): Selection {
  if (paths.length === 0) throw refuse('The update mask contains no entries')
  const normalised = paths.map(normalise)
  for (const [index, path] of normalised.entries()) {
    if (!fields.some((field) => isWithin(field, path))) {
      throw refuse(`The update path: '${abbreviate(paths[index]!)}' points to an unknown field.`)
    }
  }
  for (const [index, path] of normalised.entries()) {
    if (normalised.indexOf(path) !== index)
      throw refuse(`The update path: '${abbreviate(paths[index]!)}' is duplicated.`)
  }
  const selection = new Map<string, 'exact' | 'inherited'>()
  for (const field of fields) {
    if (normalised.includes(field)) selection.set(field, 'exact')
    else if (normalised.some((path) => isWithin(field, path))) selection.set(field, 'inherited')
  }
  return selection
}

/** The value a field gets: the requested one if the mask selects it, otherwise the current one. */
export function selected<T>(selection: Selection, field: string, requested: T, current: T, byDefault: T): T {
  const how = selection.get(field)
  if (how === undefined || (how === 'inherited' && requested === byDefault)) return current
  return requested
}

/** Ignores trailing dots: "issuer." is "issuer", and "." is the root, written "" from here on. */
function normalise(path: string): string {
  return path === '' ? 'no field' : path.replace(/\.+$/, '')
}

function isWithin(field: string, path: string): boolean {
  return path === '' || field === path || field.startsWith(`${path}.`)
}

const int64Max = 2n ** 63n - 1n

/** The version that an update may name: the update is refused if the resource has changed since. */
export function readResourceVersion(text: string, field: string): bigint | undefined {
  if (text === '') return undefined
  const version = /^[+-]?\d{1,19}$/.test(text) ? BigInt(text.replace('+', '')) : undefined
  if (version === undefined || version > int64Max || version < -int64Max - 1n) {
    throw invalidField(field, 'Invalid resource version number')
  }
  return version
}
