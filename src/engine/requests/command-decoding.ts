// Decodes client commands to engine commands: looks up types, and reads JSON as values of those types. Errors are
// reported as Canton reports them, first by its JSON layer (templates, choices, values), then by its validation of
// commands (contract ids).
import { type ErrorSubject, invalidArgument, invalidField, LedgerError, missingField } from '../../base/errors.ts'
import { dottedNameProblem, nameProblem, shorten } from '../../base/names.ts'
import type { JsonCodec } from '../../lf/codec/json.ts'
import type { Choice, Identifier, Template, Type } from '../../lf/syntax/ast.ts'
import { fullName } from '../../lf/syntax/names.ts'
import {
  contractIdFromText,
  contractIdHint,
  contractIdProblem,
  foreignIdProblem,
} from '../../lf/values/contract-ids.ts'
import type { Packages } from '../../lf/values/data-types.ts'
import type { LfRecord, LfValue } from '../../lf/values/values.ts'
import type { EngineCommand } from '../engine-commands.ts'

/** Package names are already resolved: a type is `packageId:Module:Entity`. JSON is what JSON.parse returns. */
export type ClientCommand =
  | { readonly kind: 'create'; readonly templateId: string; readonly createArguments: unknown }
  | ({ readonly kind: 'exercise'; readonly templateId: string; readonly contractId: string } & ClientChoice)
  | ({ readonly kind: 'exercise-by-key'; readonly templateId: string; readonly contractKey: unknown } & ClientChoice)
  | ({
      readonly kind: 'create-and-exercise'
      readonly templateId: string
      readonly createArguments: unknown
    } & ClientChoice)

type ClientChoice = { readonly choice: string; readonly choiceArgument: unknown }

export type DecodingParts = { readonly packages: Packages; readonly json: JsonCodec }

type Choices = ReadonlyMap<string, Choice>

/** Throws a LedgerError, or a ValueError for JSON that is not such a value. */
export function decodeCommands(commands: readonly ClientCommand[], parts: DecodingParts): EngineCommand[] {
  const decoded = commands.map((command) => decode(command, parts))
  for (const command of decoded) if (command.kind === 'exercise') checkContractId(command.contractId)
  return decoded
}

/** A key that a command will likely look up. */
export type ClientKey = { readonly templateId: string; readonly contractKey: unknown }

export function decodeKey({ templateId, contractKey }: ClientKey, parts: DecodingParts) {
  const id = identifierFrom(templateId)
  const { key } = templateOf(id, parts)
  if (key === undefined) throw typeNotFound(id, noKey)
  const packageName = parts.packages.get(id.packageId)!.name
  const value = parts.json.codecFor(key.type).decode(contractKey, 'contractKey')
  return { packageName, templateId: id, type: key.type, value }
}

function decode(command: ClientCommand, parts: DecodingParts): EngineCommand {
  const { json } = parts
  const id = identifierFrom(command.templateId)
  switch (command.kind) {
    case 'create':
      return { kind: 'create', templateId: id, argument: createArgument(command, id, templateOf(id, parts), json) }
    case 'exercise': {
      const { choice, contractId } = command
      const argument = choiceArgument(command, id, choicesOf(id, parts), parts)
      return { kind: 'exercise', typeId: id, contractId, choice, argument }
    }
    case 'exercise-by-key': {
      const { choice } = command
      const { key, choices } = templateOf(id, parts)
      if (key === undefined) throw typeNotFound(id, noKey)
      const value = json.codecFor(key.type).decode(command.contractKey, 'contractKey')
      const argument = choiceArgument(command, id, choices, parts)
      return { kind: 'exercise-by-key', templateId: id, key: value, choice, argument }
    }
    case 'create-and-exercise': {
      const template = templateOf(id, parts)
      const argument = createArgument(command, id, template, json)
      return {
        kind: 'create-and-exercise',
        templateId: id,
        argument,
        choice: command.choice,
        choiceArgument: choiceArgument(command, id, template.choices, parts),
      }
    }
  }
}

export function identifierFrom(text: string): Identifier {
  const [packageId, module, name, ...more] = text.split(':')
  if (!packageId || !module || !name || more.length > 0) {
    throw invalidArgument(`"${text.slice(0, 300)}" is not of the form package-id:Module:Entity`, { early: true })
  }
  return { packageId, module, name }
}

// ── Types

export function templateOf(id: Identifier, { packages }: Pick<DecodingParts, 'packages'>): Template {
  const template = packages.get(id.packageId)?.modules.get(id.module)?.templates.get(id.name)
  if (template === undefined) throw typeNotFound(id)
  return template
}

/** The choices of a template or an interface: a command may name either. */
export function choicesOf(id: Identifier, { packages }: Pick<DecodingParts, 'packages'>): Choices {
  const module = packages.get(id.packageId)?.modules.get(id.module)
  const found = module?.templates.get(id.name) ?? module?.interfaces.get(id.name)
  if (found === undefined) throw typeNotFound(id)
  return found.choices
}

const noKey: ErrorSubject = {
  kind: 'advice',
  text: 'contracts of this template have no key; name the contract with ExerciseCommand',
}

/** Canton reads the names when it says that there is no such template. */
function typeNotFound(id: Identifier, about?: ErrorSubject): LedgerError {
  const problem = dottedNameProblem(id.module) ?? dottedNameProblem(id.name)
  if (problem !== undefined) return invalidArgument(shorten(problem, 600), { early: true })
  const text = fullName(id)
  return new LedgerError('TEMPLATES_OR_INTERFACES_NOT_FOUND', `Templates do not exist: [${text}].`, {
    resources: [['TEMPLATE_ID', text]],
    about: about ?? { kind: 'types', names: [text], wanted: 'template' },
  })
}

// ── Values

function createArgument(
  command: { readonly createArguments: unknown },
  id: Identifier,
  template: Template,
  json: JsonCodec,
): LfRecord {
  let type = argumentTypes.get(template)
  if (type === undefined) {
    type = { kind: 'constructor', id, args: [] }
    argumentTypes.set(template, type)
  }
  return json.codecFor(type).decode(command.createArguments, 'createArguments') as LfRecord
}

/** One type object per template, so that codecs find it in their caches. */
const argumentTypes = new WeakMap<Template, Type>()

/** Choices that a refusal carries for a hint. */
const choicesTold = 50

/** Null stands for an argument without fields. */
function choiceArgument(
  command: ClientChoice,
  id: Identifier,
  choices: Choices,
  { packages, json }: DecodingParts,
): LfValue {
  const choice = choices.get(command.choice)
  if (choice === undefined) {
    const malformed = nameProblem(command.choice)
    if (malformed !== undefined) throw invalidArgument(malformed, { early: true })
    const name = command.choice.slice(0, 300)
    const about = {
      kind: 'choice',
      name,
      choices: [...choices.keys()].slice(0, choicesTold),
      owner: typeWithChoice(name, id, packages),
    } as const
    throw invalidArgument(`Invalid template:${fullName(id)} or choice:${name}`, { about, foundBy: 'node' })
  }
  return json.codecFor(choice.argument.type).decode(command.choiceArgument ?? {}, 'choiceArgument')
}

/** An interface of the template, or a template of its package that implements the interface, if it has the choice. */
function typeWithChoice(choice: string, { packageId, module, name }: Identifier, packages: Packages) {
  const found = packages.get(packageId)
  const modules = [...(found?.modules.values() ?? [])]
  const template = found?.modules.get(module)?.templates.get(name)
  const isMeant = (one: Identifier) => one.packageId === packageId && one.module === module && one.name === name
  const owners: Identifier[] =
    template === undefined
      ? modules.flatMap(({ name: module, templates }) =>
          [...templates.values()]
            .filter(({ interfaceInstances }) => interfaceInstances.some((one) => isMeant(one.interface)))
            .filter(({ choices }) => choices.has(choice))
            .map(({ name }) => ({ packageId, module, name })),
        )
      : template.interfaceInstances
          .map((instance) => instance.interface)
          .filter((one) =>
            packages.get(one.packageId)?.modules.get(one.module)?.interfaces.get(one.name)?.choices.has(choice),
          )
  const [owner] = owners
  return owner && `#${packages.get(owner.packageId)?.name}:${owner.module}:${owner.name}`
}

/** Only contracts that are on a ledger can be exercised; an id without its suffix names none. */
function checkContractId(text: string): void {
  if (text === '') throw missingField('contract_id')
  const malformed = contractIdProblem(text)
  const about = { kind: 'advice', text: contractIdHint(text) } as const
  if (malformed !== undefined) throw invalidField('contract_id', malformed, { about })
  const problem = foreignIdProblem(contractIdFromText(text)!)
  if (problem === undefined) return
  throw new LedgerError('COMMAND_PREPROCESSING_FAILED', `Illegal Contract ID "${text}", ${problem}`, {
    foundBy: 'interpretation',
    about,
  })
}
