import assert from 'node:assert/strict'
import { test } from 'node:test'
import { intType, textType } from '../../../test/support/lf/data-package.ts'
import { writePackage } from '../../../test/support/lf/described-package.ts'
import type { Archives, UpgradeQuestion } from './package-tasks.ts'
import { answerAside } from './reading-aside.ts'
import { answerTo } from './upgrade-questions.ts'

/** Packages of `count` records; one field of the second changes its type. */
function questionAbout(count: number): { question: UpgradeQuestion; archives: Archives } {
  const names = Array.from({ length: count }, (_, i) => `RecordWithQuiteALongNameNumber${i}`)
  const [past, present] = [intType, textType].map((type, i) => {
    const data = Object.fromEntries(names.map((name) => [name, { record: { field: intType } }]))
    return writePackage({
      name: 'large',
      version: `${i + 1}.0.0`,
      modules: { Main: { data: { ...data, Changed: { record: { field: type } } } } },
    })
  }) as [ReturnType<typeof writePackage>, ReturnType<typeof writePackage>]
  const archives = new Map([past, present].map(({ id, archive }) => [id, new Uint8Array(archive)]))
  const question: UpgradeQuestion = {
    sizes: new Map([...archives].map(([id, { length }]) => [id, length])),
    names: new Map([past, present].map(({ id }, i) => [id, { name: 'large', version: `${i + 1}.0.0` }])),
    pairs: [
      [past.id, present.id],
      [past.id, past.id],
    ],
    described: [present.id],
  }
  return { question, archives }
}

for (const [size, count] of [
  ['small', 1],
  ['large', 2_000],
] as const) {
  test(`questions about ${size} packages have the same answers in a thread`, async () => {
    const { question, archives } = questionAbout(count)
    const asked: string[][] = []
    const archivesOf = async (ids: readonly string[]): Promise<Archives> => {
      asked.push([...ids])
      return new Map(ids.map((id) => [id, archives.get(id)!]))
    }
    const changed = 'The upgraded data type Changed has changed the types of some of its original fields.'
    const want = { problems: [changed, undefined], dependencies: new Map([[question.described[0]!, []]]) }
    assert.deepEqual(await answerTo(question, archivesOf), want)
    assert.deepEqual(await answerAside(question, archivesOf), want)
    const all = [...archives.keys()]
    assert.deepEqual(asked.splice(0), [all, all])
    // A thread still has what it decoded.
    assert.deepEqual(await answerAside(question, archivesOf), want)
    assert.deepEqual(asked, [])
  })
}
