// Compares two OpenAPI documents as a code generator sees them: operation by operation and component by component,
// including names, order and required fields. Descriptions and examples are ignored.

type Json = Readonly<Record<string, unknown>>
type Operations = Readonly<Record<string, Readonly<Record<string, Json>>>>

export type OpenApi = {
  readonly paths: Operations
  readonly components: { readonly schemas: Readonly<Record<string, Json>>; readonly securitySchemes?: Json }
}

export type Difference = {
  /** An operation or a component. */
  readonly subject: string
  /** The path inside it, such as `properties.offset.format`. */
  readonly place: string
  readonly text: string
  /** An operation or component that only our document has: it adds generated code and changes none. */
  readonly isAddition: boolean
}

/** Texts for people, which generators put into comments. */
const words: ReadonlySet<string> = new Set(['description', 'summary', 'example'])
/**
 * Lists whose order is irrelevant. Elsewhere order counts, because it decides arguments and names of generated code.
 */
const unordered: ReadonlySet<string> = new Set(['required', 'enum', 'tags'])
/** Their keys are chosen names, so a `description` among them is not a text for people. */
const named: ReadonlySet<string> = new Set(['properties', 'schemas', 'headers', 'content', 'responses'])

export function compareDocuments(canton: OpenApi, ours: OpenApi): Difference[] {
  const parts = ({ paths, components: { schemas, securitySchemes } }: OpenApi) =>
    new Map<string, unknown>([
      ...Object.entries(paths).flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const),
      ),
      ...Object.entries(schemas),
      ...Object.entries(securitySchemes ?? {}),
    ])
  const [theirs, own] = [parts(canton), parts(ours)]
  return [...new Set([...theirs.keys(), ...own.keys()])].toSorted().flatMap((subject): Difference[] => {
    const whole = (text: string, isAddition: boolean) => [{ subject, place: '', text, isAddition }]
    if (!theirs.has(subject)) return whole('only here', true)
    if (!own.has(subject)) return whole('only in Canton', false)
    return differences('', theirs.get(subject), own.get(subject)).map(([place, text]) => ({
      subject,
      place,
      text,
      isAddition: false,
    }))
  })
}

type Found = readonly (readonly [place: string, text: string])[]

function differences(place: string, canton: unknown, ours: unknown): Found {
  const key = place.split('.').at(-1)!
  if (Array.isArray(canton) && Array.isArray(ours)) {
    return unordered.has(key) ? setDifferences(place, canton, ours) : listDifferences(place, canton, ours)
  }
  if (isObject(canton) && isObject(ours)) return objectDifferences(place, canton, ours, named.has(key))
  return canton === ours ? [] : [[place, `${shown(canton)} in Canton, ${shown(ours)} here`]]
}

function setDifferences(place: string, canton: readonly unknown[], ours: readonly unknown[]): Found {
  return [
    ...canton.filter((one) => !ours.includes(one)).map((one) => [place, `${shown(one)} only in Canton`] as const),
    ...ours.filter((one) => !canton.includes(one)).map((one) => [place, `${shown(one)} only here`] as const),
  ]
}

function listDifferences(place: string, canton: readonly unknown[], ours: readonly unknown[]): Found {
  if (canton.length !== ours.length) return [[place, `${canton.length} in Canton, ${ours.length} here`]]
  return canton.flatMap((one, index) => differences(`${place}[${index}]`, one, ours[index]))
}

function objectDifferences(place: string, canton: Json, ours: Json, isNamed: boolean): Found {
  const keysOf = (object: Json) => Object.keys(object).filter((key) => isNamed || !words.has(key))
  const [theirs, own] = [keysOf(canton), keysOf(ours)]
  const inside = (key: string) => (place === '' ? key : `${place}.${key}`)
  const both = theirs.filter((key) => own.includes(key))
  const found = [
    ...theirs.filter((key) => !own.includes(key)).map((key) => [inside(key), 'only in Canton'] as const),
    ...own.filter((key) => !theirs.includes(key)).map((key) => [inside(key), 'only here'] as const),
    ...both.flatMap((key) => differences(inside(key), canton[key], ours[key])),
  ]
  if (!place.endsWith('properties')) return found
  const order = own.filter((key) => both.includes(key))
  if (order.join() === both.join()) return found
  return [...found, [place, `the order is ${both.join(', ')} in Canton, ${order.join(', ')} here`]]
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function shown(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value)
}
