// The state of decoding one package: the cursor over its bytes, its version, the tables its indices point into, and the
// look-ups in them. Every index that points nowhere is refused here.

import type { Cursor } from '../../protobuf/wire-reading.ts'
import { type Expression, type Identifier, type Kind, languageVersionOf, type Minor, type Type } from '../syntax/ast.ts'
import { isDottedNameLength, isName } from '../syntax/names.ts'
import { openArchiveCursor, refuse } from './archive-error.ts'
import { archiveLimits } from './limits.ts'

/** Called every few hundred messages; throws to end the reading. */
export type Check = () => void

export type Decoding = Cursor & {
  readonly check: Check | undefined
  /** Messages read so far. */
  messages: number
  /** How many messages the cursor is inside of. */
  depth: number
  readonly depthMax: number
  readonly packageId: string
  readonly minor: Minor
  /** The module being read. */
  module: string
  readonly strings: string[]
  /** For each string, whether it is known to be a name. */
  readonly areNames: boolean[]
  readonly dottedNames: string[]
  readonly kinds: Kind[]
  readonly types: Type[]
  readonly typeSizes: TreeSizes
  /** Parts of types written out so far, and bodies found so far. */
  typeParts: number
  bodies: number
  /** Expressions are read to be checked: exactly as they are written, and each entry of the table once. */
  isChecking: boolean
  /** Expressions read while checking, each counted as often as it is referred to. */
  expressionsRead: number
  /** The size of the tree being read, with what it refers to written out in full. */
  treeNodes: number
  treeDepth: number
  /** Types around the one that is read. */
  typeDepth: number
  imports: readonly string[] | undefined
  /** Every reference met so far, keyed by the numbers it is written with. */
  readonly references: Map<number, PackageReference>
  readonly expressions: ExpressionTable
  /** The tables of a package that is read as it is used. */
  late: LateTables | undefined
}

/** Entries of tables, read when they are first used. */
export type LateTables = {
  string(index: number): string | undefined
  dottedName(index: number): string | undefined
  type(index: number): Type | undefined
}

export type PackageReference = { readonly packageId: string; readonly modules: Map<number, ModuleReference> }
export type ModuleReference = {
  readonly packageId: string
  readonly module: string
  readonly identifiers: Map<number, Identifier>
}

/** For each entry of a table of trees, the nodes and the depth of the tree written out in full. */
export type TreeSizes = { readonly nodes: number[]; readonly depths: number[] }

export type ExpressionTable = {
  /** Where each interned expression starts, at its length. Empty in LF 2.1. */
  readonly offsets: number[]
  /** The entries read so far for the current body. */
  readonly read: Map<number, Expression>
  /** While checking, all entries read so far. */
  readonly entries: Expression[]
  /** References must be to smaller indices than this: the entry being read, or the size of the table outside of it. */
  bound: number
  /** Entries that were referred to and are not read yet. */
  readonly missing: number[]
  readonly sizes: TreeSizes
}

export function createDecoding(bytes: Uint8Array, packageId: string, minor: Minor, check: Check | undefined): Decoding {
  return {
    ...openArchiveCursor(bytes, `package ${packageId} (LF ${languageVersionOf(minor)})`),
    check,
    messages: 0,
    depth: 0,
    depthMax: minor === 1 ? archiveLimits.messageDepthMaxInline : archiveLimits.messageDepthMaxFlat,
    packageId,
    minor,
    module: '',
    strings: [],
    areNames: [],
    dottedNames: [],
    kinds: [],
    types: [],
    typeSizes: { nodes: [], depths: [] },
    typeParts: 0,
    bodies: 0,
    isChecking: false,
    expressionsRead: 0,
    treeNodes: 0,
    treeDepth: 0,
    typeDepth: 0,
    imports: undefined,
    references: new Map(),
    expressions: { offsets: [], read: new Map(), entries: [], bound: 0, missing: [], sizes: { nodes: [], depths: [] } },
    late: undefined,
  }
}

/** Moves to a part that lies directly in the package. */
export function seek(decoding: Decoding, start: number): void {
  decoding.position = start
  decoding.end = decoding.bytes.length
  decoding.depth = 0
}

export function stringAt(decoding: Decoding, index: number): string {
  const string = decoding.strings[index] ?? decoding.late?.string(index)
  return string === undefined ? refuseIndex(decoding, 'string', index, decoding.strings.length) : string
}

export function nameAt(decoding: Decoding, index: number): string {
  const name = stringAt(decoding, index)
  if (decoding.areNames[index]) return name
  if (!isName(name)) refuse(decoding, `${shown(name)} is not a valid name`)
  decoding.areNames[index] = true
  return name
}

export function dottedNameAt(decoding: Decoding, index: number): string {
  const name = decoding.dottedNames[index] ?? decoding.late?.dottedName(index)
  return name === undefined ? refuseIndex(decoding, 'dotted name', index, decoding.dottedNames.length) : name
}

export function dottedNameOf(decoding: Decoding, segments: readonly string[]): string {
  const name = segments.join('.')
  if (segments.length === 0) refuse(decoding, 'a dotted name has no segments')
  if (!isDottedNameLength(name)) refuse(decoding, `the dotted name ${shown(name)} is too long`)
  return name
}

export function refuseIndex(decoding: Decoding, table: string, index: number, size: number): never {
  return refuse(decoding, `there is no ${table} ${index}: the table has ${size}, and entries may only use earlier ones`)
}

/** Texts from the archive appear in messages, so they are cut to a readable length. */
export function shown(value: string): string {
  return JSON.stringify(value.length > 100 ? `${value.slice(0, 100)}…` : value)
}
