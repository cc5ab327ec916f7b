// Daml Scripts on a development node, on the wire. All of it is ours.

import { Type } from 'typebox'
import { damlValue, flag, int64, list, message, optional, text } from './schema.ts'

const script = message(
  'Script',
  {
    name: text('Module:name'),
    packageId: text('The package that has it'),
    packageName: text('The name of the package'),
    packageVersion: text('Its version'),
    takesArgument: flag('Whether it needs an input'),
  },
  { description: 'A script of an uploaded package' },
)

export const listScriptsResponse = message('ListScriptsResponse', { scripts: list(script, 'By package and name') })

export const runScriptRequest = message('RunScriptRequest', {
  name: text('Module:name'),
  package: text('The id of its package, or the name; needed only if several packages have a script of this name'),
  input: optional(text('Its argument, as JSON')),
})

const madeTransaction = message(
  'ScriptTransaction',
  {
    updateId: text('Its id'),
    offset: int64('Its offset'),
    tree: text('Everything that happened in it, with the parties that see it'),
  },
  { description: 'A transaction that the ledger got while the script ran' },
)

export const runScriptResponse = message('RunScriptResponse', {
  succeeded: flag('Whether it succeeded'),
  result: damlValue('Its result; null if it failed, or if the type of the result has no JSON'),
  failure: list(Type.String(), 'Why it failed, and where'),
  traces: list(Type.String(), 'Messages of trace and debug, in order'),
  transactions: list(madeTransaction, 'The last 20 transactions'),
  milliseconds: Type.Integer({ description: 'The time it took' }),
})
