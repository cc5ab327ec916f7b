// Two OpenAPI documents side by side. A difference is told once for each pair of components and direction, at the first
// operation that meets it.

export type Schema = {
  readonly $ref?: string
  readonly type?: string
  readonly format?: string
  readonly enum?: readonly string[]
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly additionalProperties?: Schema | boolean
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>

type Operation = {
  readonly deprecated?: boolean
  readonly parameters?: readonly { name: string; in: string; required?: boolean; schema: Schema }[]
  readonly requestBody?: { readonly required?: boolean; readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}

export type OpenApi = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

export type Difference = {
  readonly operation: string
  readonly place: string
  readonly text: string
  /** No client of Canton can notice: an answer promises more, or a request asks for less. */
  readonly isRefinement: boolean
}

type Direction = 'request' | 'answer'

export function compareDocuments(canton: OpenApi, ours: OpenApi): Difference[] {
  const differences: Difference[] = []
  const seen = new Set<string>()
  let operation = ''
  const tell = (place: string, text: string, isRefinement = false) =>
    differences.push({ operation, place, text, isRefinement })

  for (const name of [...new Set([...operationsOf(canton), ...operationsOf(ours)])].toSorted()) {
    operation = name
    const [theirs, own] = [operationNamed(canton, name), operationNamed(ours, name)]
    if (theirs === undefined) tell('', 'only here')
    else if (own === undefined) tell('', 'only in Canton')
    else compareOperation(theirs, own)
  }
  return differences

  function compareOperation(theirs: Operation, own: Operation): void {
    compareParameters(theirs, own)
    compareContent('request', theirs.requestBody?.content, own.requestBody?.content)
    if (theirs.requestBody?.required === true && own.requestBody?.required !== true)
      tell('request', 'body not required')
    compareContent('answer', theirs.responses['200']?.content, own.responses['200']?.content)
    compareContent('answer', theirs.responses.default?.content, own.responses.default?.content)
    if ((theirs.deprecated ?? false) !== (own.deprecated ?? false)) tell('', 'deprecated on one side only')
  }

  function compareParameters(theirs: Operation, own: Operation): void {
    const byName = ({ parameters = [] }: Operation) => new Map(parameters.map((one) => [`${one.in} ${one.name}`, one]))
    const [wanted, given] = [byName(theirs), byName(own)]
    for (const name of new Set([...wanted.keys(), ...given.keys()])) {
      const [one, other] = [wanted.get(name), given.get(name)]
      if (one === undefined) tell(name, 'only here', other?.required !== true)
      else if (other === undefined) tell(name, 'only in Canton')
      else {
        if ((one.required ?? false) !== (other.required ?? false)) tell(name, 'required on one side only')
        compareSchemas('request', name, one.schema, other.schema)
      }
    }
  }

  function compareContent(direction: Direction, theirs: Content | undefined, own: Content | undefined): void {
    const [types, ownTypes] = [theirs, own].map((content) => Object.keys(content ?? {}))
    for (const type of new Set([...types!, ...ownTypes!])) {
      if (!ownTypes!.includes(type)) tell(direction, `${type} only in Canton`)
      else if (!types!.includes(type)) tell(direction, `${type} only here`)
      else compareSchemas(direction, direction, theirs![type]!.schema, own![type]!.schema)
    }
  }

  function compareSchemas(direction: Direction, place: string, theirs: Schema, own: Schema): void {
    if (theirs.$ref !== undefined) {
      const pair = `${direction} ${theirs.$ref} ${referenceOf(own) ?? place}`
      if (seen.has(pair)) return
      seen.add(pair)
    }
    const [one, other] = [resolved(canton, theirs), resolved(ours, own)]
    const [kind, ownKind] = [kindOf(one), kindOf(other)]
    if (kind !== ownKind) return void tell(place, `${kind} in Canton, ${ownKind} here`)
    switch (kind) {
      case 'list':
        return compareSchemas(direction, `${place}[]`, one.items!, other.items!)
      case 'map':
        return compareSchemas(direction, `${place}{}`, mapValue(one), mapValue(other))
      case 'variants':
        return compareVariants(direction, place, one, other)
      case 'record':
        return compareRecords(direction, place, one, other)
      default:
        return compareEnums(direction, place, one, other)
    }
  }

  function compareEnums(direction: Direction, place: string, { enum: theirs }: Schema, { enum: own }: Schema): void {
    const shown = (values: readonly string[] | undefined) => values?.toSorted().join(', ') ?? 'any'
    if (shown(theirs) === shown(own)) return
    const isNarrower = direction === 'answer' && theirs === undefined
    tell(place, `one of ${shown(theirs)} in Canton, of ${shown(own)} here`, isNarrower)
  }

  function compareVariants(direction: Direction, place: string, theirs: Schema, own: Schema): void {
    const byName = (schema: Schema) =>
      new Map(schema.oneOf!.map((variant) => [Object.keys(variant.properties ?? {})[0] ?? '?', variant]))
    const [wanted, given] = [byName(theirs), byName(own)]
    for (const name of new Set([...wanted.keys(), ...given.keys()])) {
      const [one, other] = [wanted.get(name)?.properties?.[name], given.get(name)?.properties?.[name]]
      if (one === undefined || other === undefined) {
        tell(`${place}.${name}`, one === undefined ? 'variant only here' : 'variant only in Canton')
      } else compareSchemas(direction, `${place}.${name}`, one, other)
    }
  }

  function compareRecords(direction: Direction, place: string, theirs: Schema, own: Schema): void {
    const names = new Set([...Object.keys(theirs.properties ?? {}), ...Object.keys(own.properties ?? {})])
    for (const name of names) {
      const [one, other] = [theirs.properties?.[name], own.properties?.[name]]
      const inside = `${place}.${name}`
      if (one === undefined || other === undefined) {
        tell(inside, one === undefined ? 'field only here' : 'field only in Canton')
        continue
      }
      const [isWanted, isPromised] = [theirs, own].map(({ required }) => required?.includes(name) ?? false)
      if (isWanted && !isPromised) tell(inside, 'required only in Canton', direction === 'request')
      if (!isWanted && isPromised) tell(inside, 'required only here', direction === 'answer')
      compareSchemas(direction, inside, one, other)
    }
  }
}

function operationsOf({ paths }: OpenApi): string[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
}

function operationNamed({ paths }: OpenApi, name: string): Operation | undefined {
  const [method, path] = name.split(' ')
  return paths[path!]?.[method!.toLowerCase()]
}

function referenceOf({ $ref, allOf }: Schema): string | undefined {
  return $ref ?? (allOf?.length === 1 ? allOf[0]!.$ref : undefined)
}

function resolved(document: OpenApi, schema: Schema): Schema {
  const reference = referenceOf(schema)
  return reference === undefined
    ? schema
    : resolved(document, document.components.schemas[reference.split('/').at(-1)!]!)
}

function kindOf({ type, format, oneOf, additionalProperties, properties, items }: Schema): string {
  if (oneOf !== undefined) return 'variants'
  if (items !== undefined) return 'list'
  if (typeof additionalProperties === 'object' && properties === undefined) return 'map'
  if (type === 'object') return 'record'
  if (type === undefined) return 'anything'
  return type === 'integer' ? `${type} ${format}` : type
}

function mapValue({ additionalProperties }: Schema): Schema {
  return additionalProperties as Schema
}
