// Every form of expression: all values of test/lf/expressions.lf, in every LF version.
import { readFileSync } from 'node:fs'
import { type Cases, contractId, id, inPackage } from './case.ts'

const text = readFileSync(new URL('../../../test/lf/expressions.lf', import.meta.url), 'utf8')
let module = ''
const values: { name: string; takesId: boolean }[] = []
for (const line of text.split('\n')) {
  module = /^module (\w+)/.exec(line)?.[1] ?? module
  const value = /^ {2}val (\w+) : (ContractId)?/.exec(line)
  if (value) values.push({ name: `${module}:${value[1]}`, takesId: value[2] !== undefined })
}
const someId = contractId(id(1))

export default {
  dars: ['test/lf/expressions-lf21.dar', 'test/lf/expressions-lf22.dar', 'test/lf/expressions-lf23.dar'],
  cases: [
    ...[21, 22, 23].flatMap((lf) =>
      values.map(({ name, takesId }) => inPackage(`expressions-lf${lf}`)(name, ...(takesId ? [someId] : []))),
    ),
    inPackage('expressions-lf21')('Only21:unsafeFrom', someId),
    inPackage('expressions-lf21')('Only21:unsafeFromNot', someId),
  ],
} satisfies Cases
