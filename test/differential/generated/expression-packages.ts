// Packages of random values, each of them a comparison with the reference, and what our engine makes of them.
import { unhandledException } from '../../../src/engine/code/evaluation-failures.ts'
import { createEngine, type Engine } from '../../../src/engine/engine.ts'
import { DamlException, Failure } from '../../../src/engine/failures/failures.ts'
import { decodeArchive } from '../../../src/lf/archive/archive.ts'
import type { DataType, Module, Package, Type, Value } from '../../../src/lf/syntax/ast.ts'
import { encodePackage } from '../../support/lf/package-encoder.ts'
import { type Recorded, writeRecorded } from '../recorded-values.ts'
import { dictionary, exceptionData, exceptions, preludeValues } from './prelude.ts'
import { randomFrom } from './random.ts'
import { createGenerator, emptyScope } from './random-expressions.ts'
import { randomData, scalar } from './random-types.ts'
import { e, self, types } from './syntax.ts'

export const valuesPerPackage = 50
const functionsPerPackage = 8
const stepsMax = 10_000_000

/** Seeds take the versions of LF in turn. */
export function expressionPackage(seed: number): Package {
  const random = randomFrom(seed, 'expressions')
  const minor = 1 + (seed % 3)
  const data = randomData(random, 6)
  const generator = createGenerator(random, data, minor)
  const values: Value[] = [...preludeValues]
  for (let index = 0; index < functionsPerPackage; index++) {
    const isGeneric = random.chance(0.3)
    const variable = types.variable('a')
    const scope = isGeneric ? { ...emptyScope, types: [variable] } : emptyScope
    const parameters = Array.from({ length: 1 + random.below(3) }, (_, at) => {
      return {
        name: at === 0 && isGeneric ? 'given_a' : `p${at}`,
        type: at === 0 && isGeneric ? variable : generator.type(scope),
      }
    })
    const result = generator.type(scope)
    const body = e.lambda(parameters, generator.under(parameters, result, scope, 3))
    const name = `f${index}`
    const type = types.to(...parameters.map((each) => each.type), result)
    if (isGeneric) {
      values.push({ name, type: types.forall(['a'], type), body: () => e.typeLambda(['a'], body) })
    } else {
      values.push({ name, type, body: () => body })
      generator.callables.push({ name, parameters: parameters.map((each) => each.type), result })
    }
    // A generic function is called through one that is not.
    if (isGeneric) {
      const at = generator.type(emptyScope, 1)
      const instance = (of: Type): Type =>
        JSON.parse(JSON.stringify(of).replaceAll(JSON.stringify(variable), JSON.stringify(at)))
      const [first, ...rest] = [...parameters.map((each) => each.type), result].map(instance) as [Type, ...Type[]]
      values.push({ name: `${name}_at`, type: types.to(first, ...rest), body: () => e.at(e.value(name), at) })
      generator.callables.push({ name: `${name}_at`, parameters: [first, ...rest.slice(0, -1)], result: rest.at(-1)! })
    }
  }
  for (let index = 0; index < valuesPerPackage; index++) {
    // Half of them are small and compute something, the others are anything.
    const isSmall = random.chance(0.5)
    const type = isSmall && random.chance(0.7) ? scalar(random) : generator.type(emptyScope)
    const body = isSmall
      ? generator.operation(type, emptyScope, 1 + random.below(2))
      : generator.expression(type, emptyScope, 1 + random.below(5))
    values.push({ name: `v${index}`, type, body: () => body })
  }
  return packageWith([...data.values(), dictionary, ...exceptionData], values, minor, seed)
}

function packageWith(data: readonly DataType[], values: readonly Value[], minor: number, seed: number): Package {
  const byName = <Item extends { readonly name: string }>(items: Iterable<Item>): Map<string, Item> => {
    return new Map([...items].map((item) => [item.name, item]))
  }
  const module: Module = {
    name: 'Main',
    synonyms: new Map(),
    dataTypes: byName(data),
    values: byName(values),
    templates: new Map(),
    exceptions: byName(exceptions),
    interfaces: new Map(),
  }
  return {
    id: self,
    languageVersion: `2.${minor}` as Package['languageVersion'],
    name: `generated-${seed}`,
    version: '1.0.0',
    upgrades: undefined,
    imports: undefined,
    modules: new Map([['Main', module]]),
  }
}

export function archiveOfExpressions(seed: number): Buffer {
  return encodePackage(expressionPackage(seed)).archive
}

/** `{ name, value | error, traces? }` of each value. */
export function evaluationsOf(archive: Uint8Array): Recorded[] {
  const { package: decoded } = decodeArchive(archive)
  const engine = createEngine(new Map([[decoded.id, decoded]]))
  const { values } = decoded.modules.get('Main')!
  return [...values.values()]
    .filter(({ name }) => /^v\d+$/.test(name))
    .map(({ name, type }) => ({ name, ...outcomeOf(engine, decoded.id, name, type) }))
}

/** What is compared: the value, or the error's text, and the traces. */
export function outcomeText({ value, error, traces = [] }: Recorded): string {
  return JSON.stringify([value ?? null, error?.message ?? error ?? null, traces])
}

function outcomeOf(engine: Engine, packageId: string, name: string, type: Type): Recorded {
  const traces: string[] = []
  const result = (): Recorded => {
    try {
      const value = engine.evaluate({ packageId, module: 'Main', name }, [], stepsMax, traces)
      return { value: writeRecorded(value, type, engine.dataTypes) }
    } catch (error) {
      return { error: messageOf(error, engine) }
    }
  }
  const outcome = result()
  return traces.length > 0 ? { ...outcome, traces } : outcome
}

function messageOf(error: unknown, engine: Engine): string {
  if (error instanceof DamlException) return exceptionText(error, engine)
  if (!(error instanceof Failure)) throw error
  return error.code === 'INTERPRETER_ERROR' ? error.message : `Interpretation error: Error: ${error.message}`
}

/** Outside a transaction, an exception whose message function fails is reported as that second failure. */
function exceptionText(error: DamlException, engine: Engine): string {
  const { type, value } = error.exception
  try {
    if (type.kind === 'constructor') engine.code.exceptionMessage(type.id, value)
  } catch (second) {
    return messageOf(second, engine)
  }
  return messageOf(unhandledException(error, engine.code), engine)
}
