// Random submissions over the test packages, one after the other on a ledger that evolves by what is accepted.

import type { Identifier, Package, Type } from '../../../src/lf/syntax/ast.ts'
import { fullName } from '../../../src/lf/syntax/names.ts'
import type { Loaded } from '../load.ts'
import type { Recorded } from '../recorded-values.ts'
import { submitted } from '../replay-submissions.ts'
import { randomFrom } from './random.ts'
import { randomValue, type ValueSource } from './random-values.ts'

export const submissionSettings = {
  time: '2026-01-01T00:00:00Z',
  seed: '00'.repeat(32),
  participant: 'participant',
  mode: 'NUCK',
}

const parties = ['Alice', 'Bob', 'Charlie']
const stepsPerSequence = 12
const contractsMax = 14
/** Most random commands fail at once: the best of a few is taken. */
const candidatesMax = 5
const micros = BigInt(Date.parse(submissionSettings.time)) * 1000n

type Named = { readonly id: Identifier; readonly choices: readonly (readonly [name: string, argument: Type])[] }

/** The templates and interfaces of a package, with their choices. */
function namedIn(given: Package): { templates: Named[]; interfaces: Named[]; keys: Map<string, Type> } {
  const templates: Named[] = []
  const interfaces: Named[] = []
  const keys = new Map<string, Type>()
  for (const module of given.modules.values()) {
    const idOf = (name: string): Identifier => ({ packageId: given.id, module: module.name, name })
    for (const { name, choices, key } of module.templates.values()) {
      templates.push({
        id: idOf(name),
        choices: [...choices.values()].map((choice) => [choice.name, choice.argument.type]),
      })
      if (key) keys.set(fullName(idOf(name)), key.type)
    }
    for (const { name, choices } of module.interfaces.values()) {
      interfaces.push({
        id: idOf(name),
        choices: [...choices.values()].map((choice) => [choice.name, choice.argument.type]),
      })
    }
  }
  return { templates, interfaces, keys }
}

/** The cases of a sequence, in the form of recordings, without outcomes; one of the main packages is used. */
export function submissionSequence(seed: number, mains: readonly Package[], loaded: Loaded): Recorded[] {
  const random = randomFrom(seed, 'submissions')
  const main = random.pick(mains)
  const named = namedIn(main)
  const mode = main.languageVersion === '2.3' || random.chance(0.5) ? 'NUCK' : 'NoKey'
  let ledger: Recorded[] = []
  const gone: string[] = []
  const cases: Recorded[] = []

  for (let step = 0; step < stepsPerSequence; step++) {
    const tried = Array.from({ length: random.chance(0.75) ? candidatesMax : 1 }, () => candidate(step))
    const [best] = tried.toSorted((a, b) => interest(b.outcome) - interest(a.outcome))
    cases.push(best!.entry)
    if (best!.outcome.nodes) ledger = after(best!.outcome, ledger, step)
  }
  return cases

  function candidate(step: number): { entry: Recorded; outcome: Recorded } {
    const entry = {
      name: `${seed}.${step}`,
      actAs: random.chance(0.85) ? parties : random.shuffled(parties).slice(0, 1 + random.below(2)),
      ...(random.chance(0.2) ? { readAs: random.shuffled(parties).slice(0, 1) } : {}),
      commands:
        step === 0
          ? [firstCommand()]
          : Array.from({ length: 1 + (random.chance(0.3) ? random.below(3) : 0) }, () => command()),
      contracts: ledger.map(disturbed),
      seed: random.bigint(256).toString(16).padStart(64, '0'),
      mode,
    }
    return { entry, outcome: submitted(entry, loaded) }
  }

  function source(): ValueSource {
    return { random, dataTypes: loaded.engine.dataTypes, parties, micros, keys: keysOn(ledger), made: 0, contractId }
  }

  function contractId(of: Type): string {
    const fitting = of.kind === 'constructor' ? ledger.filter(({ template }) => template === fullName(of.id)) : ledger
    if (fitting.length > 0 && random.chance(0.85)) return random.pick(fitting).id
    if (ledger.length > 0 && random.chance(0.5)) return random.pick(ledger).id
    if (gone.length > 0 && random.chance(0.7)) return random.pick(gone)
    return idOf(999 + random.below(3))
  }

  function value(type: Type): Recorded {
    return randomValue(type, source(), 3 + random.below(4))
  }

  /** The first command makes one who may do everything, where the package has such a template. */
  function firstCommand(): Recorded {
    const actor = named.templates.find(({ id }) => id.name === 'Actor')
    if (actor === undefined) return command()
    return { create: fullName(actor.id), argument: { record: [{ list: parties.map((party) => ({ party })) }] } }
  }

  function command(): Recorded {
    const template = random.weighted(
      named.templates.map((each) => [each.choices.length > 1 ? 4 : each.choices.length === 1 ? 2 : 0.3, each]),
    )
    const reference = fullName(template.id)
    const argument = (): Recorded => value({ kind: 'constructor', id: template.id, args: [] })
    const choices = template.choices
    if (ledger.length < 3 || random.chance(0.1) || choices.length === 0)
      return { create: reference, argument: argument() }
    const [choice, argumentType] = random.pick(choices)
    const keyType = named.keys.get(reference)
    if (keyType && random.chance(0.35)) {
      return { exerciseByKey: reference, key: value(keyType), choice, argument: value(argumentType) }
    }
    if (random.chance(0.15)) {
      return { createAndExercise: reference, createArgument: argument(), choice, choiceArgument: value(argumentType) }
    }
    const actors = ledger.filter(({ template: of }) => of.endsWith(':Actor'))
    const contract = actors.length > 0 && random.chance(0.6) ? random.pick(actors) : random.pick(ledger)
    const actual = named.templates.find(({ id }) => fullName(id) === contract.template)
    if (named.interfaces.length > 0 && random.chance(0.3)) {
      const face = random.pick(named.interfaces)
      const [offered, offeredType] = random.pick(face.choices)
      return {
        exercise: fullName(face.id),
        contractId: contract.id,
        choice: offered,
        argument: value(offeredType),
      }
    }
    const of = actual && actual.choices.length > 0 && random.chance(0.95) ? actual : template
    const [offered, offeredType] = random.pick(
      of.choices.length > 1 && random.chance(0.7) ? of.choices.filter(([name]) => name !== 'Archive') : of.choices,
    )
    const target = random.chance(0.95) ? contract.id : contractId({ kind: 'constructor', id: of.id, args: [] })
    return { exercise: fullName(of.id), contractId: target, choice: offered, argument: value(offeredType) }
  }

  /** Now and then the ledger says something else of a contract than when it was created. */
  function disturbed(contract: Recorded): Recorded {
    if (random.chance(0.985)) return contract
    return random.pick<() => Recorded>([
      () => ({ ...contract, authentic: false }),
      () => ({ ...contract, signatories: [...new Set([random.pick(parties), ...(contract.maintainers ?? [])])] }),
      () => ({ ...contract, observers: [random.pick(parties)] }),
      () => (contract.key ? { ...contract, hiddenFromKeys: true } : contract),
      () => (contract.key ? { ...contract, maintainers: [random.pick(contract.signatories)] } : contract),
    ])()
  }

  /** The ledger after a transaction: what it created and did not archive, with the ids that the ledger gives. */
  function after(outcome: Recorded, before: readonly Recorded[], step: number): Recorded[] {
    const nodes = new Map<number, Recorded>(outcome.nodes.map((node: Recorded) => [node.id, node]))
    const created: Recorded[] = []
    const archived = new Set<string>()
    const visit = (ids: readonly number[]): void => {
      for (const node of ids.map((id) => nodes.get(id)!)) {
        if (node.kind === 'create') created.push(node)
        if (node.kind === 'exercise') {
          if (node.consuming) archived.add(node.contractId)
          visit(node.children)
        }
      }
    }
    visit(outcome.roots)
    const suffix = `ca121220${(seed * stepsPerSequence + step).toString(16).padStart(64, '0')}`
    const added = created
      .filter(({ contractId: id }) => !archived.has(id))
      .map((node) => {
        const contract = {
          id: node.contractId,
          template: node.templateId,
          argument: node.argument,
          signatories: node.signatories,
          observers: node.stakeholders.filter((party: string) => !node.signatories.includes(party)),
          ...(node.key && { key: node.key.value, maintainers: node.key.maintainers }),
        }
        // Ids of the same transaction inside get the suffix, too.
        return JSON.parse(JSON.stringify(contract).replaceAll(/"(00[0-9a-f]{64})"/g, `"$1${suffix}"`))
      })
    gone.push(...[...archived].filter((id) => before.some((contract) => contract.id === id)))
    const all = [...added, ...before.filter(({ id }) => !archived.has(id))]
    return all.length > contractsMax ? random.shuffled(all).slice(0, contractsMax) : all
  }
}

function idOf(number: number): string {
  const hex = number.toString(16).padStart(64, '0')
  return `00${hex}ca121220${hex}`
}

/** A transaction of several kinds of nodes says more than one of few, and any more than a refusal. */
function interest(outcome: Recorded): number {
  if (!outcome.nodes) return 0
  const kinds = new Set(outcome.nodes.map(({ kind }: Recorded) => kind))
  return 1 + Math.min(outcome.nodes.length, 10) + 4 * kinds.size
}

/** Complete, as a command has them: stored keys are without the None at their end. */
function keysOn(ledger: readonly Recorded[]): Recorded[] {
  const keys = ledger.filter(({ key }) => key?.record?.length >= 3).map(({ key }) => key.record)
  return keys.map((fields) => ({ record: fields.length === 3 ? [...fields, { none: true }] : fields }))
}
