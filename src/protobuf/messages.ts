// The messages of the Ledger API, from tables of names and numbers. A row of a table is `Name: field, field;`, a field
// `name=number type`, a member of a oneof `oneof.name=number type`. Before a type, `*` stands for repeated and `?` for
// optional; `{type}` is a map from texts. Names of types are relative to the package, as in protobuf.
import { type ScalarName, scalarNames } from './scalars.ts'

export type FileTable = {
  readonly name: string
  readonly package: string
  readonly imports?: readonly string[]
  readonly messages?: string
  readonly enums?: string
  /** Rows `Service: Method Request Response, …;` with `stream` before what is streamed. */
  readonly services?: string
}

export type FieldKind = ScalarName | MessageType | EnumType

export type Field = {
  /** As in protobuf, in snake_case. */
  readonly name: string
  /** As in JSON, in camelCase. */
  readonly jsonName: string
  readonly number: number
  readonly kind: FieldKind
  /** `map`: from texts to `kind`. */
  readonly occurs: 'once' | 'optional' | 'repeated' | 'map'
  readonly oneof: string | undefined
}

export type MessageType = { readonly is: 'message'; readonly fullName: string; readonly fields: readonly Field[] }

export type EnumType = {
  readonly is: 'enum'
  readonly fullName: string
  readonly numbers: ReadonlyMap<string, number>
  readonly names: ReadonlyMap<number, string>
}

export type Method = {
  readonly name: string
  readonly request: MessageType
  readonly response: MessageType
  readonly isRequestStream: boolean
  readonly isResponseStream: boolean
}

export type Service = { readonly fullName: string; readonly methods: readonly Method[] }

export type ProtoFile = {
  readonly table: FileTable
  readonly messages: ReadonlyMap<string, MessageType>
  readonly enums: ReadonlyMap<string, EnumType>
  readonly services: readonly Service[]
}

export type Messages = {
  readonly files: readonly ProtoFile[]
  message(fullName: string): MessageType
}

const scalars: ReadonlySet<string> = new Set(scalarNames)

export function readTables(tables: readonly FileTable[]): Messages {
  const types = new Map<string, MessageType | EnumType>()
  const isMessage = (type: FieldKind | undefined): type is MessageType =>
    typeof type === 'object' && type.is === 'message'

  function typeNamed(name: string, inPackage: string): MessageType | EnumType {
    for (let scope = inPackage; ; scope = scope.slice(0, Math.max(0, scope.lastIndexOf('.')))) {
      const found = types.get(scope === '' ? name : `${scope}.${name}`)
      if (found !== undefined) return found
      if (scope === '') throw new Error(`there is no message or enum ${name}`)
    }
  }

  function messageNamed(name: string, inPackage: string): MessageType {
    const found = typeNamed(name, inPackage)
    if (!isMessage(found)) throw new Error(`${name} is no message`)
    return found
  }

  function fieldFrom(text: string, inPackage: string): Field {
    const match = /^(?:(\w+)\.)?(\w+)=(\d+)\s+([*?]?)(\{?)([\w.]+)\}?$/.exec(text)
    if (match === null) throw new Error(`"${text}" is no field`)
    const [, oneof, name = '', number, prefix, brace, type = ''] = match
    const occurs = brace === '{' ? 'map' : prefix === '*' ? 'repeated' : prefix === '?' ? 'optional' : 'once'
    const kind = scalars.has(type) ? (type as ScalarName) : typeNamed(type, inPackage)
    return { name, jsonName: jsonNameOf(name), number: Number(number), kind, occurs, oneof }
  }

  const opened = tables.map((table) => {
    const enums = new Map<string, EnumType>()
    for (const [name, values] of rowsOf(table.enums)) {
      const numbers = new Map(
        values.map((value) => value.split('=') as [string, string]).map(([n, v]) => [n, Number(v)]),
      )
      const names = new Map([...numbers].map(([value, number]) => [number, value]))
      enums.set(name, { is: 'enum', fullName: `${table.package}.${name}`, numbers, names })
    }
    const messages = new Map<string, MessageType & { fields: Field[] }>()
    const fieldTexts = new Map<string, readonly string[]>()
    for (const [name, fields] of rowsOf(table.messages)) {
      messages.set(name, { is: 'message', fullName: `${table.package}.${name}`, fields: [] })
      fieldTexts.set(name, fields)
    }
    for (const type of [...enums.values(), ...messages.values()]) types.set(type.fullName, type)
    return { table, enums, messages, fieldTexts }
  })
  const files = opened.map(({ table, enums, messages, fieldTexts }): ProtoFile => {
    for (const [name, message] of messages) {
      for (const text of fieldTexts.get(name)!) message.fields.push(fieldFrom(text, table.package))
    }
    const services = rowsOf(table.services).map(([name, methods]): Service => {
      return { fullName: `${table.package}.${name}`, methods: methods.map((text) => methodFrom(text, table.package)) }
    })
    return { table, messages, enums, services }
  })

  function methodFrom(text: string, inPackage: string): Method {
    const match = /^(\w+)\s+(stream )?([\w.]+)\s+(stream )?([\w.]+)$/.exec(text)
    if (match === null) throw new Error(`"${text}" is no method`)
    const [, name = '', requestStream, request = '', responseStream, response = ''] = match
    return {
      name,
      request: messageNamed(request, inPackage),
      response: messageNamed(response, inPackage),
      isRequestStream: requestStream !== undefined,
      isResponseStream: responseStream !== undefined,
    }
  }

  return { files, message: (fullName) => messageNamed(fullName, '') }
}

function rowsOf(text: string | undefined): [name: string, items: string[]][] {
  const rows = (text ?? '')
    .split(';')
    .map((row) => row.trim())
    .filter((row) => row !== '')
  return rows.map((row) => {
    const colon = row.indexOf(':')
    const items = row
      .slice(colon + 1)
      .split(',')
      .map((item) => item.trim().replaceAll(/\s+/g, ' '))
    return [row.slice(0, colon), items.filter((item) => item !== '')]
  })
}

/** lower_snake to lowerCamel. */
export function jsonNameOf(name: string): string {
  return name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}

/** What JSON may call a member of a oneof: by its field, or by its message. */
export function variantNamesOf({ jsonName, kind }: Field): string[] {
  const names = [`${jsonName[0]!.toUpperCase()}${jsonName.slice(1)}`]
  // The variant `Empty` stands for a oneof that is absent, not for a field of that type.
  if (typeof kind === 'object' && kind.fullName !== 'google.protobuf.Empty') {
    names.push(kind.fullName.slice(kind.fullName.lastIndexOf('.') + 1))
  }
  return names
}
