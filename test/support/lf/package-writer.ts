// Writes packages, archives and DARs, for tests. The writer interns as each LF version demands: in LF 2.1 expressions
// are inline, from LF 2.2 on they go into a table and types are applied one argument at a time.
import { createHash, randomBytes } from 'node:crypto'
import { readZipDirectory, readZipEntry } from '../../../src/lf/dar/zip.ts'
import { writeZip } from '../../../src/lf/dar/zip-writing.ts'
import type { Minor } from '../../../src/lf/syntax/ast.ts'
import { type BuiltinTypeName, builtinTypes } from '../../../src/lf/syntax/builtins.ts'
import { bytes, message, packed, text, varint } from './proto-writer.ts'

export type PackageWriter = ReturnType<typeof createPackageWriter>

/** The content of a message: its fields, encoded. */
export type Written = Buffer

export function createPackageWriter(minor: Minor) {
  const isFlat = minor >= 2
  const strings = new Map<string, number>()
  const dottedNames = new Map<string, number>()
  const types: Written[] = []
  const kinds: Written[] = []
  const expressions: Written[] = []
  const modules: Written[] = []
  const extra: Buffer[] = []

  const string = (value: string): number => indexIn(strings, value)
  const dottedName = (name: string): number => {
    for (const segment of name.split('.')) string(segment)
    return indexIn(dottedNames, name)
  }
  const addType = (content: Written): number => types.push(content) - 1
  const kind = (content: Written): Written => (isFlat ? varint(4, kinds.push(content) - 1) : content)
  const type = (index: number): Written => varint(8, index)

  const id = (module: string, name: string, packageId?: string): Written => {
    const from = packageId === undefined ? message(1) : varint(3, string(packageId))
    return Buffer.concat([message(1, message(1, from), varint(2, dottedName(module))), varint(2, dottedName(name))])
  }

  /** A type with arguments: a list of them in LF 2.1, nested applications later. */
  const applied = (field: number, head: Buffer, args: readonly number[]): number => {
    if (!isFlat) return addType(message(field, head, ...args.map((arg) => bytes(2, type(arg)))))
    const start = addType(message(field, head))
    return args.reduce((lhs, rhs) => addType(message(9, bytes(1, type(lhs)), bytes(2, type(rhs)))), start)
  }

  return {
    minor,
    isFlat,
    string,
    dottedName,
    addType,
    type,
    id,
    star: (): Written => kind(message(1)),
    natKind: (): Written => kind(message(3)),
    builtinType: (name: BuiltinTypeName, ...args: number[]) => applied(3, varint(1, builtinTypes[name].proto), args),
    constructorType: (id: Written, ...args: number[]) => applied(2, bytes(1, id), args),
    variableType: (name: string, ...args: number[]) => applied(1, varint(3, string(name)), args),
    /** An expression from its encoded form; a location may precede it. */
    expression: (form: Buffer, location?: Buffer): Written => {
      const content = location ? Buffer.concat([bytes(1, location), form]) : form
      return isFlat ? varint(44, expressions.push(content) - 1) : content
    },
    addExpression: (content: Written): number => expressions.push(content) - 1,
    addKind: (content: Written): number => kinds.push(content) - 1,
    addModule: (...fields: readonly Buffer[]): void => void modules.push(Buffer.concat(fields)),
    addField: (field: Buffer): void => void extra.push(field),
    /** The package, with the metadata `test-package` 1.0.0 unless fields for it are given. */
    finish: (metadata?: Buffer): Buffer => {
      const named = metadata ?? message(4, varint(1, string('test-package')), varint(2, string('1.0.0')))
      return Buffer.concat([
        ...modules.map((module) => bytes(1, module)),
        ...strings.keys().map((value) => text(2, value)),
        ...dottedNames.keys().map((name) => message(3, packed(1, name.split('.').map(string)))),
        named,
        ...types.map((type) => bytes(5, type)),
        ...kinds.map((kind) => bytes(6, kind)),
        ...expressions.map((expression) => bytes(7, expression)),
        ...extra,
      ])
    },
  }
}

/** The flags every module must have. */
export const goodFlags = message(2, varint(1, 1), varint(2, 1), varint(3, 1))

export function payloadOf(content: Uint8Array, minor: string, ...extra: Buffer[]): Buffer {
  return Buffer.concat([text(3, minor), bytes(4, content), ...extra])
}

export function archiveOf(payload: Uint8Array, hash = sha256(payload)): Buffer {
  return Buffer.concat([bytes(3, payload), text(4, hash)])
}

export const sha256 = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex')

/** Level 0 stores the entries as they are. */
export function darOf(
  entries: Readonly<Record<string, Uint8Array>>,
  attributes: Readonly<Record<string, string>> = {},
  level?: number,
): Buffer {
  const dalfs = Object.keys(entries)
  const manifest = { 'Main-Dalf': dalfs[0], Dalfs: dalfs.join(', '), Format: 'daml-lf', ...attributes }
  const lines = Object.entries(manifest).filter(([, value]) => value !== undefined)
  const content = ['Manifest-Version: 1.0', ...lines.map(([name, value]) => wrapped(`${name}: ${value}`)), ''].join(
    '\n',
  )
  return writeZip([['META-INF/MANIFEST.MF', Buffer.from(content)], ...Object.entries(entries)], level)
}

/** The same packages in a file that is too large to be read in place. */
export function enlargedDar(dar: Uint8Array): Buffer {
  const zip = readZipDirectory(dar)
  const files = zip.entries
    .values()
    .map((entry): [string, Uint8Array] => [entry.name, readZipEntry(zip, entry, entry.size)])
  return writeZip([...files, ['padding.bin', randomBytes(400_000)]], 0)
}

/** As JAR tools do: 70 characters a line, each line after the first with a leading space. */
function wrapped(line: string): string {
  return (line.match(/.{1,70}/g) ?? []).join('\n ')
}

function indexIn(table: Map<string, number>, value: string): number {
  const known = table.get(value)
  if (known !== undefined) return known
  table.set(value, table.size)
  return table.size - 1
}
