// Optionals of a type parameter that stands for an Optional: every form that JSON has for them and near misses, and values
// that only the ledger makes.
import { optionalsPackage } from '../../../test/support/engine/optionals-package.ts'
import { darOf } from '../../../test/support/lf/package-writer.ts'
import { exercise, type World } from '../world.ts'

const none = {
  box: {},
  row: {},
  gap: {},
  deep: { content: [], after: '1' },
  many: { list: [], map: {}, after: '2' },
  either: { tag: 'Left', value: null },
  outer: { box: {} },
  nested: {},
  plain: {},
}

const contents = [null, '1', [], ['1'], [[]], [null], [['1']], [[null]], [[[]]], [[['1']]], {}, 1]

/** Values of the fields of a Sample. */
const forms: Readonly<Record<string, readonly unknown[]>> = {
  box: [{}, ...contents.map((content) => ({ content }))],
  row: [...contents.map((first) => ({ first })), ...contents.map((second) => ({ second, last: '3' }))],
  gap: [{ last: '3' }, { first: '1', second: null, last: null }, { second: null }],
  deep: [{ after: '1' }, ...contents.map((content) => ({ content, after: '1' }))],
  many: contents.map((content) => ({ list: [content, null], map: { key: content }, after: '1' })),
  either: [
    ...contents.map((value) => ({ tag: 'Left', value })),
    ...contents.map((value) => ({ tag: 'Right', value })),
    { tag: 'Left' },
  ],
  outer: [{}, ...contents.map((content) => ({ box: { content } }))],
  nested: [{}, ...contents.map((content) => ({ content }))],
  plain: contents.map((content) => ({ content })),
}

export async function optionalSession({ both, alice, create, submit, run }: World): Promise<void> {
  const packageName = `optionals${run}`
  const { id, bytes } = optionalsPackage(packageName)
  both.ids.fix(id)
  const templateId = `#${packageName}:Main:Held`
  await both.call('POST', '/v2/dars', { body: darOf({ [`${id}.dalf`]: bytes }) })
  const contractId = await create({ CreateCommand: { templateId, createArguments: { owner: alice, sample: none } } })
  await submit([exercise(templateId, contractId, 'Fill')], {}, { note: 'Some None in all places' })
  for (const [field, values] of Object.entries(forms)) {
    for (const value of values) {
      const note = `${field} is ${JSON.stringify(value)}`
      await submit([exercise(templateId, contractId, 'Echo', { sample: { ...none, [field]: value } })], {}, { note })
    }
  }
}
