// Generated types against what a node really sends, checked by the TypeScript compiler and by a validator.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, test } from 'node:test'
import { generateTypeScript } from '../../src/codegen/typescript.ts'
import { decodeDar } from '../../src/lf/dar/dar.ts'
import { runHere } from '../fixtures/command.ts'
import {
  effectsDar,
  eventOf,
  exercise,
  iouType,
  type Json,
  keysDar,
  startTestLedger,
  type TestLedger,
} from '../fixtures/ledger.ts'
import { refusalOf, startTestNode } from '../fixtures/node.ts'
import { validatorFor } from '../fixtures/openapi-validation.ts'
import { assertOneLine, run, temporaryFolder } from '../fixtures/process.ts'
import { compilerErrors } from '../fixtures/typescript.ts'
import { darOf, goodFlags } from '../support/lf/package-writer.ts'
import { bytes, message, varint } from '../support/lf/proto-writer.ts'
import { sampleArchive } from '../support/lf/sample-package.ts'

const root = new URL('../..', import.meta.url).pathname
const quickstartDar = join(root, 'packages/quickstart/quickstart.dar')

function generated(file: string): Map<string, string> {
  const { main, packages } = decodeDar(readFileSync(file))
  const known = new Map(packages.map((one) => [one.package.id, one.package]))
  return generateTypeScript({ main: main.package, get: (id) => known.get(id) })
}

describe('generated types', { concurrency: 4 }, () => {
  test('compile for every package in the repository', async () => {
    const dars = [quickstartDar, ...globSync(`${root}/test/lf/*.dar`)]
    assert.ok(dars.length > 10)
    const files = dars.flatMap((dar) =>
      [...generated(dar)].map(([path, text]) => [`${basename(dar, '.dar')}/${path}`, text] as const),
    )
    assert.equal(await compilerErrors(new Map(files)), '')
  })

  test('match what a node sends, and nothing else', async () => {
    await using ledger = await startTestLedger({ settings: { dars: [effectsDar, keysDar] } })
    const payloads = await everythingThatHappens(ledger)
    const files = new Map([...generated(effectsDar), ...generated(keysDar), ...generated(quickstartDar)])
    files.set('payloads.ts', program(payloads))
    assert.equal(await compilerErrors(files), '')
  })
})

describe('the OpenAPI document of a package', { concurrency: 4 }, () => {
  test('describes what a node accepts and sends, and nothing else', async () => {
    await using ledger = await startTestLedger({ settings: { dars: [effectsDar, keysDar] } })
    const payloads = await everythingThatHappens(ledger)
    for (const [name, owner] of [
      ['effects-lf21', 'Effects'],
      ['keys-lf23', 'Keys'],
      ['quickstart', 'Iou'],
    ] as const) {
      const { json: document } = await ledger.node.call('GET', `/docs/openapi?package=${name}`)
      const check = validatorFor(document.components.schemas, { optionalMayBeNull: true })
      const checkEvent = (kind: string, event: unknown) => check({ $ref: `#/components/schemas/${kind}` }, event)
      for (const { module, kind, event, wrong } of payloads.filter(({ module }) => module === owner)) {
        assert.equal(checkEvent(kind, event), undefined, `${module}: ${JSON.stringify(event)}`)
        for (const one of wrong) assert.notEqual(checkEvent(kind, one), undefined, JSON.stringify(one))
      }
    }
  })

  test('is generated in a thread, while other requests are answered', async () => {
    await using node = await startTestNode()
    const uploaded = await node.call('POST', '/v2/packages', { body: largeDar({ records: 6_000, fieldNames: 'f' }) })
    assert.equal(uploaded.status, 200, uploaded.text)
    let isDescribed = false
    const description = node.call('GET', '/docs/openapi?package=large').finally(() => {
      isDescribed = true
    })
    let answered = 0
    while (!isDescribed) {
      assert.equal((await node.call('GET', '/livez')).status, 200)
      answered += 1
    }
    const { json: document } = await description
    assert.ok(document.components.schemas['CreateCommand.large.Main.Iou'])
    assert.ok(answered > 2, `${answered} requests were answered meanwhile`) // On the main thread it would be one.
  })

  test('is refused if it would be very large', async () => {
    await using node = await startTestNode()
    const dar = largeDar({ records: 3_000, fieldNames: 'x'.repeat(100), isUsed: true })
    const uploaded = await node.call('POST', '/v2/packages', { body: dar })
    assert.equal(uploaded.status, 200, uploaded.text)
    for (let turn = 0; turn < 2; turn += 1) {
      const refused = await node.call('GET', '/docs/openapi?package=large')
      assert.deepEqual(refusalOf(refused), [
        400,
        'INVALID_ARGUMENT',
        'The submitted request has invalid arguments: The description of this package has more than 16777216 bytes.',
      ])
    }
  })

  test('types commands by the name of the package', async () => {
    await using ledger = await startTestLedger()
    const { json: document } = await ledger.node.call('GET', '/docs/openapi?package=quickstart')
    const check = validatorFor(document.components.schemas, { optionalMayBeNull: true })
    const command = { $ref: '#/components/schemas/Command' }
    const { CreateCommand } = ledger.createIou() as Json
    const split = exercise(iouType, '00', 'Iou_Split', { amount: '1' })
    assert.equal(check(command, { CreateCommand }), undefined)
    assert.equal(check(command, split), undefined)
    for (const wrong of [
      { CreateCommand: { ...CreateCommand, templateId: '#quickstart:Iou:Nothing' } },
      { CreateCommand: { ...CreateCommand, createArguments: { ...CreateCommand.createArguments, amount: true } } },
      exercise(iouType, '00', 'Iou_Nothing', {}),
      exercise(iouType, '00', 'Iou_Split', { amounts: '1' }),
    ]) {
      assert.notEqual(check(command, wrong), undefined, JSON.stringify(wrong))
    }
  })

  test('requires a token and an existing package', async () => {
    await using ledger = await startTestLedger()
    const statusOf = async (query: string, token?: null) =>
      (await ledger.node.call('GET', `/docs/openapi${query}`, token === null ? { token } : {})).status
    assert.equal(await statusOf('', null), 200)
    assert.equal(await statusOf('?package=', null), 200)
    assert.equal(await statusOf('?package=quickstart', null), 401)
    assert.equal(await statusOf('?package=nothing'), 404)
    assert.equal(await statusOf('?package=a&package=b'), 400)
  })
})

describe('tallystick codegen', { concurrency: 4 }, () => {
  test('writes modules and an OpenAPI document', async () => {
    using folder = temporaryFolder()
    const out = join(folder.path, 'made', 'here')
    const { code, output } = await runHere(['codegen', quickstartDar, '--out', out])
    assert.deepEqual([code, output], [0, `wrote 6 files to ${out}\n`])
    const iou = readFileSync(join(out, 'quickstart/Iou.ts'), 'utf8')
    assert.ok(iou.includes('Iou_Split: daml.Choice<Iou_Split, Iou_SplitResult>'))
    const document = JSON.parse(readFileSync(join(out, 'openapi.json'), 'utf8'))
    assert.ok('quickstart.Iou.Iou' in document.components.schemas)
  })

  test('writes the same for a package on a node', async () => {
    using folder = temporaryFolder()
    await using node = await startTestNode()
    const [fromFile, fromNode] = [join(folder.path, 'file'), join(folder.path, 'node')]
    const asked = ['codegen', node.url, '--package', 'quickstart', '--token', node.adminToken, '--out', fromNode]
    assert.deepEqual((await runHere(['codegen', quickstartDar, '--out', fromFile])).code, 0)
    assert.equal((await run(asked)).errors, '')
    const filesIn = (path: string) =>
      globSync('**/*.*', { cwd: path })
        .toSorted()
        .map((file) => [file, readFileSync(join(path, file), 'utf8')])
    assert.equal(filesIn(fromNode).length, 6)
    assert.deepEqual(filesIn(fromNode), filesIn(fromFile))

    const refused = (...args: string[]) => runHere(['codegen', node.url, '--out', fromNode, ...args])
    assertOneLine(await refused(), 2, /^--package is missing/)
    assertOneLine(await refused('--package', 'quickstart'), 1, /^the node refused: The request carries no token/)
    assertOneLine(await refused('--package', 'quick', '--token', node.adminToken), 1, /^the node has no package quick$/)
  })

  test('reports errors in one line', async () => {
    using folder = temporaryFolder()
    const nowhere = ['codegen', 'http://127.0.0.1:1', '--package', 'a', '--out', folder.path]
    assertOneLine(await runHere(nowhere), 3, /^cannot reach http/)
    assertOneLine(await runHere(['codegen', quickstartDar, '--out', folder.path, '--token', 'a']), 2, /only for a URL/)
    assertOneLine(await runHere(['codegen', quickstartDar]), 2, /^--out is missing/)
    assertOneLine(await runHere(['codegen', 'nothing.dar', '--out', folder.path]), 1, /^cannot read the DAR/)
    const inFile = join(quickstartDar, 'types')
    assertOneLine(await runHere(['codegen', quickstartDar, '--out', inFile]), 1, /^cannot write/)
  })
})

type Payload = {
  readonly module: 'Effects' | 'Keys' | 'Iou'
  readonly template: string
  readonly kind: 'CreatedEvent' | 'ExercisedEvent'
  readonly event: Json
  /** Events with one mistake each. */
  readonly wrong: readonly Json[]
}

/** A contract with every type, one with a key, and choices of both and of an interface. */
async function everythingThatHappens(ledger: TestLedger): Promise<Payload[]> {
  const { alice } = ledger
  const everything = {
    ...{ party: alice, unit: {}, bool: true, int: '1', numeric: '1.5', text: 'text', date: '2026-01-31' },
    ...{ timestamp: '2026-01-31T12:00:00Z', optional: '1', optional2: [['1']], list: ['1', '2'] },
    ...{ textMap: { a: '1' }, genMap: [['1', 'one']], fault: 'Fine', ref: { tag: 'Made', value: '0' } },
    ...{ faults: { precondition: 'Fine', signatories: 'Fine', observers: 'Fine', view: 'Fine' } },
    ...{ maybe: { label: 'label', signatories: [alice] }, last: {} },
  }
  const sparse = { ...everything, optional: null, optional2: [[]], maybe: null, last: null }
  const happened = async (commands: readonly object[], kind: 'CreatedEvent' | 'ExercisedEvent') =>
    eventOf((await ledger.submit(commands)).transaction, kind)
  const create = (templateId: string, createArguments: object) => ({ CreateCommand: { templateId, createArguments } })
  const effects = '#effects-lf21:Effects:Everything'
  const created = await happened([create(effects, everything)], 'CreatedEvent')
  const createdSparse = await happened([create(effects, sparse)], 'CreatedEvent')
  const same = await happened([exercise(effects, created.contractId, 'Everything_Same', everything)], 'ExercisedEvent')
  const keyed = {
    ...{ signatories: [alice], observers: [], keyFault: 'Fine', note: 'note' },
    key: { maintainers: [alice], name: 'name', maintainersFault: 'Fine', last: null },
  }
  const withKey = await happened([create('#keys-lf23:Keys:Keyed', keyed)], 'CreatedEvent')
  const { contractId } = await ledger.submit([ledger.createIou()])
  const split = await happened([exercise(iouType, contractId, 'Iou_Split', { amount: '1' })], 'ExercisedEvent')

  const argument = (event: Json, change: object) => ({
    ...event,
    createArgument: { ...event.createArgument, ...change },
  })
  const wrongValues = [
    ...[{ party: 1 }, { unit: { a: 1 } }, { bool: 'true' }, { int: 1 }, { numeric: 1.5 }, { text: null }, { date: 1 }],
    ...[{ timestamp: 0 }, { optional: 1 }, { optional2: '1' }, { optional2: ['1'] }, { list: ['1', 2] }],
    ...[{ textMap: { a: 1 } }, { genMap: { a: 1 } }, { genMap: [['1', 2]] }, { fault: 'fine' }, { ref: 'Made' }],
    ...[{ ref: { tag: 'Made' } }, { ref: { tag: 'Lost', value: '0' } }, { faults: {} }, { maybe: { label: 'label' } }],
  ]
  // The schema accepts any object for a unit, as the node does.
  const bySchemaToo = (change: object) => !('unit' in change)
  return [
    {
      module: 'Effects',
      template: 'Everything',
      kind: 'CreatedEvent',
      event: created,
      wrong: wrongValues.filter(bySchemaToo).map((change) => argument(created, change)),
    },
    {
      module: 'Effects',
      template: 'Everything',
      kind: 'CreatedEvent',
      event: createdSparse,
      wrong: [argument(created, { party: undefined })],
    },
    {
      module: 'Effects',
      template: 'Everything',
      kind: 'ExercisedEvent',
      event: same,
      wrong: [
        { ...same, choice: 'Nothing' },
        { ...same, exerciseResult: {} },
      ],
    },
    {
      module: 'Keys',
      template: 'Keyed',
      kind: 'CreatedEvent',
      event: withKey,
      wrong: [{ ...withKey, contractKey: { name: 'name' } }],
    },
    {
      module: 'Iou',
      template: 'Iou',
      kind: 'ExercisedEvent',
      event: split,
      wrong: [{ ...split, choiceArgument: { amount: 1 } }],
    },
  ]
}

/** The sample package plus many records of fifty fields each, which one of its templates may use. */
function largeDar({ records, fieldNames, isUsed = false }: { records: number; fieldNames: string; isUsed?: boolean }) {
  const module = 'Large'
  const archive = sampleArchive(
    1,
    (writer) => {
      const { string, dottedName, type, id } = writer
      const text = type(writer.builtinType('Text'))
      const nobody = writer.expression(message(21, bytes(1, type(writer.builtinType('Party')))))
      const field = (name: string, of: Buffer) => message(1, varint(3, string(name)), bytes(2, of))
      const record = (name: string, ...fields: Buffer[]) =>
        message(4, varint(2, dottedName(name)), varint(4, 1), message(5, ...fields))
      const fields = Array.from({ length: 50 }, (_, index) => field(`${fieldNames}${index}`, text))
      const names = Array.from({ length: records }, (_, index) => `R${index}`)
      const parts = isUsed ? names.map((name) => field(name, type(writer.constructorType(id(module, name))))) : []
      writer.addModule(
        varint(1, dottedName(module)),
        goodFlags,
        ...names.map((name) => record(name, ...fields)),
        record('All', ...parts),
        message(
          6,
          ...[varint(1, dottedName('All')), varint(2, string('this'))],
          ...[4, 7].map((place) => bytes(place, nobody)),
        ),
      )
    },
    { name: 'large', version: '1.0.0' },
    false,
  )
  return darOf({ 'large.dalf': archive })
}

/** A module that asserts that each event has its type, and that each wrong one does not. */
function program(payloads: readonly Payload[]): string {
  const lines = payloads.flatMap(({ module, template, kind, event, wrong }, index) => {
    const type = kind === 'CreatedEvent' ? 'Created' : 'Exercised'
    const choice = kind === 'CreatedEvent' ? '' : `, '${event.choice}'`
    const typed = (name: string, value: Json) =>
      `export const ${name}: daml.${type}<typeof ${module}.${template}${choice}> = ${JSON.stringify(partOf(kind, value))}`
    return [
      typed(`event${index}`, event),
      ...wrong.flatMap((one, number) => ['// @ts-expect-error', typed(`wrong${index}_${number}`, one)]),
    ]
  })
  return [
    `import type * as daml from './daml.js'`,
    `import * as Effects from './effects-lf21/Effects.js'`,
    `import * as Keys from './keys-lf23/Keys.js'`,
    `import * as Iou from './quickstart/Iou.js'`,
    ...lines,
    ...commands,
  ].join('\n')
}

const commands = [
  `export const issue: daml.CreateCommand<typeof Iou.Iou> = { CreateCommand: { templateId: Iou.Iou.templateId,`,
  `  createArguments: { issuer: 'bank', owner: 'alice', amount: '1', currency: 'EUR', observers: [] } } }`,
  `export const split: daml.ExerciseCommand<typeof Iou.Iou, 'Iou_Split'> = { ExerciseCommand: {`,
  `  templateId: '#quickstart:Iou:Iou', contractId: event4.contractId, choice: 'Iou_Split', choiceArgument: { amount: '1' } } }`,
  `// @ts-expect-error The contract is of another template.`,
  `export const other: daml.ContractId<Keys.Keyed> = event4.contractId`,
]

function partOf(kind: Payload['kind'], event: Json): object {
  const { contractId, templateId, createArgument, contractKey, choice, choiceArgument, exerciseResult } = event
  return kind === 'CreatedEvent'
    ? { contractId, templateId, createArgument, contractKey }
    : { contractId, templateId, choice, choiceArgument, exerciseResult }
}
