// Contracts of old versions of packages, used through the newest, with the reference engine as the judge.
//
//   contracts.ts cases FOLDER COUNT DAR…   of each name the newest version and up to eight others: COUNT contracts of each
//                                          template and version, each archived, exercised and exercised by an interface;
//                                          values are made from the types
//   contracts.ts compare RECORDING…        replays what the reference recorded (tools/lf record); exits 1 if something differs
//
// A package with one version is used through itself.
// Contracts are created with the old version by our engine; where it refuses one, the contract is made up, and what is
// wrong with it is compared.

import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { createEngine, type Engine } from '../../../src/engine/engine.ts'
import { DamlException, Failure } from '../../../src/engine/failures/failures.ts'
import { type Shape, shapeOf } from '../../../src/lf/codec/shapes.ts'
import { decodeDar } from '../../../src/lf/dar/dar.ts'
import type { Choice, Identifier, Package, Template, Type } from '../../../src/lf/syntax/ast.ts'
import type { DataTypes } from '../../../src/lf/values/data-types.ts'
import { numericOf } from '../../../src/lf/values/numeric.ts'
import { OrderedMap } from '../../../src/lf/values/ordered-map.ts'
import {
  ContractId,
  int64,
  type LfRecord,
  type LfValue,
  listFromArray,
  none,
  Some,
  unit,
  Variant,
} from '../../../src/lf/values/values.ts'
import { type Recorded, writeRecorded } from '../../../test/differential/recorded-values.ts'
import { replaySubmissions, withoutTrailingNone } from '../../../test/differential/replay-submissions.ts'
import { compareValues } from '../../../test/support/lf/compare-values.ts'

const settings = { time: '2026-01-01T00:00:00Z', seed: '11'.repeat(32), participant: 'participant', mode: 'NUCK' }
const nowMicros = Date.parse(settings.time) * 1000
const parties = ['Alice', 'Bob', 'Carol']
const depthMax = 6
const versionsMax = 9

const [command, ...given] = process.argv.slice(2)
if (command === 'cases') writeCases(given[0]!, Number(given[1]), given.slice(2))
else if (command === 'compare') for (const recording of given) compare(recording)
else throw new Error('usage: contracts.ts cases FOLDER COUNT DAR… | contracts.ts compare RECORDING…')

/** The same numbers in every run. */
function createChance(seed: number) {
  let state = seed
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

type Chance = ReturnType<typeof createChance>

type Version = { readonly main: Package; readonly file: string; readonly packages: readonly Package[] }

function writeCases(folder: string, count: number, dars: readonly string[]): void {
  const families = Map.groupBy(dars.map(versionOf), ({ main }) => main.name)
  for (const [name, versions] of families) {
    const chosen = spread(versions.sort((a, b) => compareVersions(a.main.version, b.main.version)))
    const packages = new Map(chosen.flatMap((version) => version.packages.map((one) => [one.id, one] as const)))
    const world: World = { engine: createEngine(packages), packages, chance: createChance(1) }
    const newest = chosen.at(-1)!.main
    const olds = chosen.length === 1 ? chosen : chosen.slice(0, -1)
    const cases = olds.flatMap(({ main }) => casesOf(main, newest, count, world))
    if (cases.length === 0) continue // Interfaces only.
    const text = JSON.stringify({ ...settings, dars: chosen.map(({ file }) => resolve(file)), cases })
    const ascii = text.replace(/[^ -~]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
    writeFileSync(join(folder, `${name}.json`), ascii)
    const made = cases.filter(({ isMadeUp }) => !isMadeUp).length
    console.info(`${name}: ${cases.length} cases, ${made} with contracts that the old version created`)
  }
}

function versionOf(file: string): Version {
  const { main, packages } = decodeDar(readFileSync(file))
  return { main: main.package, file, packages: packages.map((one) => one.package) }
}

function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((text) => text.split('.').map(Number)) as [number[], number[]]
  const at = left.findIndex((number, index) => number !== right[index])
  return at < 0 ? left.length - right.length : left[at]! - (right[at] ?? -1)
}

/** The oldest, the newest, and some in between. */
function spread<T>(all: readonly T[]): readonly T[] {
  if (all.length <= versionsMax) return all
  return Array.from({ length: versionsMax }, (_, i) => all[Math.round((i * (all.length - 1)) / (versionsMax - 1))]!)
}

function casesOf(old: Package, newest: Package, count: number, world: World): Recorded[] {
  const { engine, chance } = world
  const cases: Recorded[] = []
  for (const module of old.modules.values()) {
    for (const { name } of module.templates.values()) {
      const template = newest.modules.get(module.name)?.templates.get(name)
      if (template === undefined) continue
      for (let i = 0; i < count; i += 1) {
        const { isMadeUp, ...known } = contractOf(old, module.name, name, engine, chance)
        for (const { typeId, choice } of usesOf({ packageId: newest.id, module: module.name, name }, template, world)) {
          const argument = madeOf(choice.argument.type, engine.dataTypes, chance)
          const exercised = {
            exercise: `${typeId.packageId}:${typeId.module}:${typeId.name}`,
            contractId: known.id,
            choice: choice.name,
            argument: writeRecorded(argument, choice.argument.type, engine.dataTypes),
          }
          const title = `${old.version} ${module.name}:${name} ${typeId.name} ${choice.name} ${cases.length}`
          cases.push({ name: title, isMadeUp, actAs: parties, commands: [exercised], contracts: [known] })
        }
      }
    }
  }
  return cases
}

type World = { readonly engine: Engine; readonly packages: ReadonlyMap<string, Package>; readonly chance: Chance }

type Use = { readonly typeId: Identifier; readonly choice: Choice }

/** Archive, a choice of the template, and one of each interface. */
function usesOf(typeId: Identifier, template: Template, { packages, chance }: World): Use[] {
  const oneOf = (id: Identifier, choices: ReadonlyMap<string, Choice>): Use[] => {
    const others = [...choices.values()].filter(({ name }) => name !== 'Archive')
    return others.length === 0 ? [] : [{ typeId: id, choice: others[chance(others.length)]! }]
  }
  return [
    { typeId, choice: template.choices.get('Archive')! },
    ...oneOf(typeId, template.choices),
    ...template.interfaceInstances.flatMap((instance) => {
      const { packageId, module, name } = instance.interface
      const declared = packages.get(packageId)?.modules.get(module)?.interfaces.get(name)
      return declared === undefined ? [] : oneOf(instance.interface, declared.choices)
    }),
  ]
}

/** As the old version would create it; made up if it would not. */
function contractOf(old: Package, module: string, name: string, engine: Engine, chance: Chance): Recorded {
  const templateId = { packageId: old.id, module, name }
  const type: Type = { kind: 'constructor', id: templateId, args: [] }
  const argument = madeOf(type, engine.dataTypes, chance)
  const id = `00${'ab'.repeat(32)}${'cd'.repeat(4)}`
  const known = {
    id,
    template: `${old.id}:${module}:${name}`,
    argument: withoutTrailingNone(writeRecorded(argument, type, engine.dataTypes)), // As it is on a ledger.
  }
  try {
    const { transaction } = engine.interpret({
      commands: [{ kind: 'create', templateId, argument: argument as LfRecord }],
      actAs: parties,
      readAs: [],
      ledgerTime: nowMicros,
      preparationTime: nowMicros,
      seed: Buffer.alloc(32, 1),
      participantId: settings.participant,
      protocolVersion: 35,
      lookUpContract: () => undefined,
      lookUpKey: () => [],
      preferredPackage: () => undefined,
      isAuthentic: () => true,
      stepsMax: 1_000_000,
    })
    const [node] = transaction.nodes
    if (node?.kind !== 'create') throw new Error('no contract')
    return { ...known, signatories: node.signatories, observers: without(node.stakeholders, node.signatories) }
  } catch (error) {
    if (!(error instanceof Failure || error instanceof DamlException)) throw error
    return { ...known, signatories: [parties[0]], observers: [], isMadeUp: true }
  }
}

function without(all: readonly string[], some: readonly string[]): readonly string[] {
  return all.filter((one) => !some.includes(one))
}

/** Small numbers and near times, so that what templates ensure often holds. */
function madeOf(type: Type, dataTypes: DataTypes, chance: Chance, depth = 0): LfValue {
  const shape = shapeOf(type, dataTypes)
  const inner = (part: Type) => madeOf(part, dataTypes, chance, depth + 1)
  const some = <T>(make: () => T): T[] => Array.from({ length: depth > depthMax ? 0 : chance(3) }, make)
  switch (shape.kind) {
    case 'optional':
      return depth > depthMax || chance(2) === 0 ? none : new Some(inner(shape.element))
    case 'list':
      return listFromArray(some(() => inner(shape.element)))
    case 'text-map':
      return mapOf(some(() => [`k${chance(9)}`, inner(shape.element)]))
    case 'gen-map':
      return mapOf(some(() => [inner(shape.key), inner(shape.element)]))
    case 'record': {
      const { create: RecordClass } = shape.type
      return new RecordClass(...shape.fields.map((field) => inner(field.type)))
    }
    case 'variant': {
      const rank = depth > depthMax ? 0 : chance(shape.fields.length)
      return new Variant(shape.type, rank, inner(shape.fields[rank]!.type))
    }
    default:
      return scalarOf(shape, chance)
  }
}

function mapOf(entries: readonly [LfValue, LfValue][]): LfValue {
  return entries.reduce((map, [key, value]) => map.with(key, value), OrderedMap.empty(compareValues))
}

function scalarOf(shape: Shape, chance: Chance): LfValue {
  switch (shape.kind) {
    case 'bool':
      return chance(2) === 0
    case 'int64':
      return int64(BigInt(1 + chance(9)))
    case 'date':
      return 20_000 + chance(100)
    case 'timestamp':
      return nowMicros + (chance(200) - 50) * 60_000_000
    case 'party':
      return parties[chance(parties.length)]!
    case 'text':
      return `t${chance(9)}`
    case 'contract-id':
      return new ContractId(`00${`0${chance(9)}`.repeat(32)}${'cd'.repeat(4)}`)
    case 'numeric':
      return numericOf(BigInt(1 + chance(99)) * 10n ** BigInt(Math.max(0, shape.scale - 1)), shape.scale)
    case 'enum':
      return shape.type.values[chance(shape.type.values.length)]!
    default:
      return unit
  }
}

function compare(recording: string): void {
  const { cases }: { cases: Recorded[] } = JSON.parse(readFileSync(recording, 'utf8'))
  const outcomes = new Map<string, number>()
  for (const { outcome } of cases) {
    const kind = outcome.error?.class ?? 'succeeds'
    outcomes.set(kind, (outcomes.get(kind) ?? 0) + 1)
  }
  // The name of a recording is relative to where those of the tests are.
  const replays = replaySubmissions(join('..', '..', '..', '..', '..', '..', resolve(recording)).replace(/\.json$/, ''))
  const different = replays.filter(({ actual, expected }) => !isDeepStrictEqual(plain(actual), plain(expected)))
  for (const { name, actual, expected } of different) {
    console.info(
      `${name}\n  ours      ${JSON.stringify(actual).slice(0, 1500)}\n  reference ${JSON.stringify(expected).slice(0, 1500)}`,
    )
  }
  console.info(JSON.stringify({ recording, cases: cases.length, compared: replays.length, differ: different.length }))
  console.info(
    [...outcomes]
      .sort(([, a], [, b]) => b - a)
      .map(([kind, times]) => `${times} ${kind}`)
      .join(', '),
  )
  process.exitCode = different.length === 0 ? 0 : 1
}

/** Without what is undefined. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}
