// Adds scripts to the package of test/lf/scripts.lf: syntax instead of text, for scripts whose number a benchmark or a test
// chooses.
import { readFileSync } from 'node:fs'
import { decodeDar } from '../../../src/lf/dar/dar.ts'
import type { Expression, Identifier, Type, Value } from '../../../src/lf/syntax/ast.ts'
import { encodePackage } from './package-encoder.ts'
import { darOf } from './package-writer.ts'

const source = new URL('../../lf/scripts-lf23.dar', import.meta.url)

export type ScriptSyntax = ReturnType<typeof syntaxOf>

/** The DAR with these values added to its module `Scripts`. */
export function withScripts(scriptsOf: (syntax: ScriptSyntax) => readonly Value[]): Buffer {
  const { main, packages } = decodeDar(readFileSync(source))
  const scripts = main.package.modules.get('Scripts')!
  const added = scriptsOf(syntaxOf(main.package.id)).map((value) => [value.name, value] as const)
  const module = { ...scripts, values: new Map([...scripts.values, ...added]) }
  const { id, archive } = encodePackage({
    ...main.package,
    modules: new Map([...main.package.modules, ['Scripts', module]]),
  })
  const others = packages.slice(1).map((one) => [`${one.package.id}.dalf`, one.bytes] as const)
  return darOf(Object.fromEntries([[`${id}.dalf`, archive], ...others]))
}

function syntaxOf(packageId: string) {
  const idIn = (module: string, name: string): Identifier => ({ packageId, module, name })
  const at = <Form>(form: Form): Form & { readonly location: undefined } => ({ ...form, location: undefined })
  const builtin = (name: 'Party' | 'Text' | 'ContractId', ...args: Type[]): Type => ({ kind: 'builtin', name, args })
  const constructed = (id: Identifier, ...args: Type[]): Type => ({ kind: 'constructor', id, args })
  const party = builtin('Party')
  const coin = builtin('ContractId', constructed(idIn('Scripts', 'Coin')))

  const variable = (name: string): Expression => at({ kind: 'variable', name })
  const value = (module: string, name: string): Expression => at({ kind: 'value', id: idIn(module, name) })
  const text = (content: string): Expression => at({ kind: 'literal', literal: { kind: 'text', value: content } })
  const call = (of: Expression, ...args: Expression[]): Expression => at({ kind: 'application', function: of, args })
  const own = (name: string, ...args: Expression[]) =>
    args.length === 0 ? value('Scripts', name) : call(value('Scripts', name), ...args)

  /** `first`, and then what `next` makes of its result, which has a name. */
  function bind(first: Expression, [name, from]: readonly [string, Type], to: Type, next: Expression): Expression {
    const typed: Expression = at({ kind: 'type-application', expression: value('Lib', 'bind'), types: [from, to] })
    return call(typed, first, at({ kind: 'abstraction', parameters: [{ name, type: from }], body: next }))
  }

  const script = (name: string, result: Type, body: Expression): Value => ({
    name,
    type: constructed(idIn('Daml.Script.Internal.LowLevel', 'Script'), result),
    body: () => body,
  })

  const record = (id: Identifier, fields: Readonly<Record<string, Expression>>): Expression =>
    at({
      kind: 'record',
      type: { id, args: [] },
      fields: Object.entries(fields).map(([name, value]) => ({ name, value })),
    })
  const number = (content: bigint): Expression => at({ kind: 'literal', literal: { kind: 'int64', value: content } })

  /** A party on these participants. */
  function allocateOn(hint: string, participants: readonly string[]): Expression {
    const question = idIn('Daml.Script.Internal.Questions.PartyManagement', 'AllocateParty')
    const tail: Expression = at({ kind: 'nil', type: builtin('Text') })
    const payload = record(question, {
      requestedName: text(''),
      idHint: text(hint),
      participants: at({ kind: 'cons', type: builtin('Text'), front: participants.map(text), tail }),
    })
    const types = [constructed(question), party]
    const ask: Expression = at({ kind: 'type-application', expression: value('Lib', 'ask'), types })
    return call(ask, text('AllocateParty'), number(2n), payload)
  }

  const create = (issuer: Expression, owner: Expression) =>
    own('createCoin', record(idIn('Scripts', 'Coin'), { issuer, owner, number: number(1n) }))
  const give = (giver: Expression, id: Expression, receiver: Expression) =>
    own('give', record(idIn('Scripts', 'Exercise'), { party: giver, id, receiver, how: text('') }))

  return { party, coin, variable, text, own, bind, script, allocateOn, create, give }
}

/** A script that allocates a party and creates coins, one after the other. */
export function coining(name: string, coins: number): (syntax: ScriptSyntax) => Value {
  return ({ party, coin, variable, text, own, bind, script, create }) => {
    const one = create(variable('ann'), variable('ann'))
    let body = one
    for (let made = 1; made < coins; made += 1) body = bind(one, [`coin${made}`, coin], coin, body)
    return script(name, coin, bind(own('allocateNamed', text('ann')), ['ann', party], coin, body))
  }
}
