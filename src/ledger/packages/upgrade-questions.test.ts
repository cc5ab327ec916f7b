import assert from 'node:assert/strict'
import { test } from 'node:test'
import { intType, textType } from '../../lf/testing/data-package.ts'
import { writePackage } from '../../lf/testing/described-package.ts'
import type { UpgradeQuestion } from './package-tasks.ts'
import { answerAside, answerTo } from './upgrade-questions.ts'

/** Packages of `count` records; one field of the second changes its type. */
function questionAbout(count: number): UpgradeQuestion {
  const names = Array.from({ length: count }, (_, i) => `RecordWithQuiteALongNameNumber${i}`)
  const [past, present] = [intType, textType].map((type, i) => {
    const data = Object.fromEntries(names.map((name) => [name, { record: { field: intType } }]))
    return writePackage({
      name: 'large',
      version: `${i + 1}.0.0`,
      modules: { Main: { data: { ...data, Changed: { record: { field: type } } } } },
    })
  }) as [ReturnType<typeof writePackage>, ReturnType<typeof writePackage>]
  return {
    archives: new Map([past, present].map(({ id, archive }) => [id, new Uint8Array(archive)])),
    names: new Map([past, present].map(({ id }, i) => [id, { name: 'large', version: `${i + 1}.0.0` }])),
    pairs: [
      [past.id, present.id],
      [past.id, past.id],
    ],
    described: [present.id],
  }
}

for (const [size, count] of [
  ['small', 1],
  ['large', 2_000],
] as const) {
  test(`questions about ${size} packages have the same answers aside`, async () => {
    const question = questionAbout(count)
    const changed = 'The upgraded data type Changed has changed the types of some of its original fields.'
    const want = { problems: [changed, undefined], dependencies: new Map([[question.described[0]!, []]]) }
    assert.deepEqual(answerTo(question), want)
    assert.deepEqual(await answerAside(question), want)
  })
}
