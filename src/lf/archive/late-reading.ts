// Reading a package that was read in full before, by this node, as far as it is used: the entries of its tables, its
// modules and its values, each when it is first asked for. Most uploads use little of the packages they depend on.

import { readInt32, readLength, readText, wireTypes } from '../../protobuf/wire-reading.ts'
import type { Module, Package, Value } from '../syntax/ast.ts'
import type { Content } from './content.ts'
import { type Decoding, dottedNameAt, seek } from './decoding.ts'
import { value } from './definitions.ts'
import { LateMap } from './late-map.ts'
import { readTypeAgain } from './types.ts'

/** Where the entries of the tables start. */
export type LateParts = {
  readonly strings: readonly number[]
  readonly dottedNames: readonly number[]
  readonly types: readonly number[]
}

/** Has the tables read entry by entry. Reading one may interrupt the reading of what uses it. */
export function readTablesLate(decoding: Decoding, parts: LateParts, dottedName: Content<string>): void {
  const late = <T>(starts: readonly number[], entries: T[], read: (decoding: Decoding) => T) => {
    return (index: number): T | undefined => {
      const start = starts[index]
      if (start === undefined) return undefined
      const entry = interrupting(decoding, start, read)
      entries[index] = entry
      return entry
    }
  }
  decoding.late = {
    string: late(parts.strings, decoding.strings, readText),
    dottedName: late(parts.dottedNames, decoding.dottedNames, dottedName.read),
    type: late(parts.types, decoding.types, readTypeAgain),
  }
}

function interrupting<T>(decoding: Decoding, start: number, read: (decoding: Decoding) => T): T {
  const { position, end, depth, treeNodes, treeDepth, typeDepth } = decoding
  try {
    seek(decoding, start)
    return read(decoding)
  } finally {
    decoding.position = position
    decoding.end = end
    decoding.depth = depth
    decoding.treeNodes = treeNodes
    decoding.treeDepth = treeDepth
    decoding.typeDepth = typeDepth
  }
}

export type ValuePlace = { readonly name: string; readonly start: number }

/** Tags in DefValue and DefValue.NameWithType. */
const tags = { nameWithType: 0x12, name: 0x08 }

/** The name of a value and where it starts. */
export function valuePlace(decoding: Decoding): ValuePlace {
  const start = decoding.position
  const end = readLength(decoding)
  let name = 0
  while (decoding.position < end) {
    const tag = readInt32(decoding)
    const fieldEnd = readLength(decoding)
    if (tag === tags.nameWithType && readInt32(decoding) === tags.name) name = readInt32(decoding)
    decoding.position = fieldEnd
  }
  return { name: dottedNameAt(decoding, name), start }
}

export function lateValues(decoding: Decoding, places: readonly ValuePlace[]): ReadonlyMap<string, Value> {
  const { module, place, depth } = decoding
  return new LateMap(new Map(places.map((one) => [one.name, one.start])), (start) => {
    decoding.module = module
    decoding.place = place
    return interrupting(decoding, start, () => {
      decoding.depth = depth
      return value.read(decoding)
    })
  })
}

export function lateModules(
  starts: readonly number[],
  nameAt: (start: number) => string,
  read: (start: number) => Module,
): Package['modules'] {
  return new LateMap(new Map(starts.map((start) => [nameAt(start), start])), read)
}

/** Either all of a value, or its place if the package is read late. */
export const valueOrPlace: Content<Value | ValuePlace> = {
  wireType: wireTypes.bytes,
  read: (decoding) => (decoding.late === undefined ? value.read(decoding) : valuePlace(decoding)),
}
