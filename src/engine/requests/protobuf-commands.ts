// Commands whose values came as protobuf: what they name is looked up by Canton's engine, and not by its JSON layer, so
// errors have other words (language/LookupError.scala).
import { LedgerError } from '../../base/errors.ts'
import { keptProtobufOf } from '../../base/exact-json.ts'
import type { Packages } from '../../lf/values/data-types.ts'
import { type ClientCommand, identifierFrom } from './command-decoding.ts'

/** Throws a LedgerError for a template, interface, choice or key that does not exist. */
export function checkProtobufCommand(command: ClientCommand, { packages }: { readonly packages: Packages }): void {
  const value = 'createArguments' in command ? command.createArguments : command.choiceArgument
  if (keptProtobufOf(value) === undefined) return
  const { templateId } = command
  const { packageId, module: moduleName, name } = identifierFrom(templateId)
  const mayBeInterface = command.kind === 'exercise'
  const wanted = `${mayBeInterface ? 'template or interface' : 'template'} ${templateId}`
  const found = packages.get(packageId)
  if (found === undefined) {
    const text = `Couldn't find package ${packageId} while looking for template or interface ${templateId}`
    throw new LedgerError('PACKAGE_NOT_FOUND', text, { resources: [['PACKAGE', packageId]], foundBy: 'interpretation' })
  }
  const module = found.modules.get(moduleName)
  if (module === undefined) throw unknown(`module ${packageId}:${moduleName} while looking for ${wanted}`)
  const template = module.templates.get(name)
  const owner = template ?? (mayBeInterface ? module.interfaces.get(name) : undefined)
  if (owner === undefined) throw unknown(wanted)
  if (command.kind === 'create') return
  if (command.kind === 'exercise-by-key' && template?.key === undefined) {
    throw unknown(`template without contract key ${templateId}.`)
  }
  if (owner.choices.has(command.choice)) return
  throw unknown(`choice ${command.choice} in ${template === undefined ? 'interface' : 'template'} ${templateId}`)
}

function unknown(what: string): LedgerError {
  return new LedgerError('COMMAND_PREPROCESSING_FAILED', `unknown ${what}`, { foundBy: 'interpretation' })
}
