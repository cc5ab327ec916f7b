// Invalid archives. Each row breaks a valid package in one way and gives the text of the refusal.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  archiveOf,
  createPackageWriter,
  goodFlags,
  type PackageWriter,
  payloadOf,
  sha256,
} from '../../../test/support/lf/package-writer.ts'
import { bytes, fixed64, message, packed, signed, text, varint } from '../../../test/support/lf/proto-writer.ts'
import { sampleArchive, samplePackage } from '../../../test/support/lf/sample-package.ts'
import { decodeArchive } from './archive.ts'
import { ArchiveError } from './archive-error.ts'
import { archiveLimits } from './limits.ts'

const decodeAll = (archive: Uint8Array) => {
  const { package: decoded, checkBodies } = decodeArchive(archive)
  return { decoded, dependencies: checkBodies() }
}

const otherPackage = 'a'.repeat(64)
const stablePackage = '5aee9b21b8e9a4c4975b5f4c4198e6e6e8469df49e2010820e792f393db870f4'

for (const minor of [1, 2, 3] as const) {
  test(`the sample package decodes in LF 2.${minor}, and its id is the hash of its payload`, () => {
    const payload = payloadOf(samplePackage(minor), `${minor}`)
    const { decoded, dependencies } = decodeAll(archiveOf(payload))
    assert.equal(decoded.id, sha256(payload))
    assert.deepEqual(
      [decoded.languageVersion, decoded.name, decoded.version, decoded.upgrades],
      [`2.${minor}`, 'test-package', '1.0.0', undefined],
    )
    assert.deepEqual([...dependencies], [])
    const module = decoded.modules.get('Main')!
    assert.deepEqual(
      [...module.dataTypes.keys()],
      ['Iou', 'Transfer', 'Shape', 'Colour', 'View', 'Failure', 'Lock', 'Pair', 'Holding'],
    )
    assert.deepEqual(module.dataTypes.get('Iou')!.constructors, {
      kind: 'record',
      fields: [
        { name: 'issuer', type: { kind: 'builtin', name: 'Party', args: [] } },
        { name: 'owner', type: { kind: 'builtin', name: 'Party', args: [] } },
        { name: 'amount', type: { kind: 'builtin', name: 'Numeric', args: [{ kind: 'nat', value: 10 }] } },
      ],
    })
    assert.deepEqual(module.dataTypes.get('Colour')!.constructors, { kind: 'enum', names: ['Red', 'Green'] })
    assert.equal(module.templates.get('Iou')!.key !== undefined, minor === 3)
  })
}

test('dependencies are the packages that types and expressions refer to', () => {
  const archive = sampleArchive(1, (w) => {
    const refer = w.expression(bytes(3, w.id('M', 'v', otherPackage)))
    addValue(w, refer)
    w.constructorType(w.id('M', 'T', stablePackage))
  })
  assert.deepEqual([...decodeAll(archive).dependencies].sort(), [stablePackage, otherPackage].sort())
})

test('packages of LF 2.2 refer to others through their imports', () => {
  const archive = sampleArchive(2, (w) => {
    w.addField(message(9, text(1, otherPackage)))
    const imported = Buffer.concat([
      message(1, message(1, varint(4, 0)), varint(2, w.dottedName('M'))),
      varint(2, w.dottedName('v')),
    ])
    addValue(w, w.expression(bytes(3, imported)))
  })
  const { decoded, dependencies } = decodeAll(archive)
  assert.deepEqual([decoded.imports, [...dependencies]], [[otherPackage], [otherPackage]])
})

// ── Refusals of the archive and its payload

const good = samplePackage(1)
const goodPayload = payloadOf(good, '1')

const archives: readonly (readonly [title: string, archive: () => Uint8Array, message: RegExp])[] = [
  ['no bytes', () => Buffer.alloc(0), /no payload or no hash/],
  ['another hash', () => archiveOf(goodPayload, otherPackage), /names another hash, "aaaa/],
  ['a hash in capitals', () => archiveOf(goodPayload, sha256(goodPayload).toUpperCase()), /names another hash/],
  [
    'another hash function',
    () => Buffer.concat([varint(1, 1), archiveOf(goodPayload)]),
    /hash function 1 is not known/,
  ],
  ['an unknown field', () => Buffer.concat([archiveOf(goodPayload), text(9, '')]), /field 9 in Archive/],
  ['a payload twice', () => Buffer.concat([archiveOf(goodPayload), bytes(3, goodPayload)]), /repeated field 3/],
  ['a cut-off end', () => archiveOf(goodPayload).subarray(0, -70), /cut off/],
  ['an unknown field in the payload', () => archiveOf(payloadOf(good, '1', text(6, ''))), /field 6 in ArchivePayload/],
  ['no package', () => archiveOf(text(3, '1')), /holds no Daml-LF package/],
  ['two packages', () => archiveOf(payloadOf(good, '1', bytes(2, good))), /repeated field 2 in ArchivePayload/],
  ['LF 1', () => archiveOf(Buffer.concat([text(3, '15'), bytes(2, good)])), /Daml-LF 1\.15 belongs to Daml 2/],
  ['LF 2.dev', () => archiveOf(payloadOf(good, 'dev')), /Daml-LF 2\.dev is the unstable development version/],
  ['a staging version', () => archiveOf(payloadOf(good, '4-rc1')), /Daml-LF 2\.4-rc1 is a release candidate/],
  ['a discontinued version', () => archiveOf(payloadOf(good, '3-rc1')), /2\.3-rc1 was .* is discontinued/],
  ['the second discontinued version', () => archiveOf(payloadOf(good, '3-rc2')), /2\.3-rc2 was .* is discontinued/],
  ['a future version', () => archiveOf(payloadOf(good, '5')), /Daml-LF 2\.5 is not known; this node runs/],
  ['a version named like a property', () => archiveOf(payloadOf(good, 'constructor')), /2\.constructor is not known/],
  [
    'a version that is not a word',
    () => archiveOf(payloadOf(good, '\n\u001b[31m')),
    /2\."\\n\\u001b\[31m" is not known/,
  ],
  ['no version', () => archiveOf(payloadOf(good, '')), /2\."" is not known/],
  ['a patch', () => archiveOf(payloadOf(good, '1', varint(5, 1))), /patch 1 of LF 2\.1 is not known/],
  ['a cut-off package', () => archiveOf(payloadOf(good.subarray(0, -1), '1')), /cut off/],
]

for (const [title, archive, expected] of archives) {
  test(`an archive with ${title} is refused`, () => refuses(archive(), expected))
}

// ── Refusals of the package

type Change = readonly [title: string, minor: 1 | 2 | 3, change: (w: PackageWriter) => void, message: RegExp]

const deepKind = (depth: number): Buffer => {
  let kind = message(1)
  for (let i = 0; i < depth; i++) kind = message(2, bytes(1, message(1)), bytes(2, kind))
  return kind
}

const deepExpression = (depth: number): Buffer => {
  let expression = varint(5, 0)
  for (let i = 0; i < depth; i++) expression = message(13, varint(1, 0), bytes(2, expression))
  return expression
}

const unit = (w: PackageWriter) => w.expression(varint(5, 0))

const changes: Change[] = [
  ['an unknown field', 1, (w) => w.addField(text(10, '')), /unknown field 10 in Package/],
  ['a field of another wire type', 1, (w) => w.addField(varint(1, 1)), /Package\.modules has the wrong wire type 0/],
  ['an unknown field in a module', 1, (w) => addModule(w, 'M', text(9, '')), /unknown field 9 in Module/],
  ['an unknown field in a value', 1, (w) => addModule(w, 'M', message(5, text(4, ''))), /unknown field 4 in DefValue/],
  ['an unknown field in an expression', 1, (w) => addValue(w, message(24)), /unknown field 24 in Expr /],
  ['a development form', 1, (w) => addValue(w, message(1001)), /unknown field 1001 in Expr/],
  ['an unknown field in a form', 1, (w) => addValue(w, message(21, message(2))), /unknown field 2 in Expr\.Nil/],
  ['an unknown field in a unit', 1, (w) => addValue(w, message(23, message(6, message(1)))), /unknown field 1 in Unit/],
  [
    'an unknown field in a reference',
    1,
    (w) => addValue(w, message(3, w.id('Main', 'x'), text(3, ''))),
    /unknown field 3 in a definition reference/,
  ],
  ['an expression without a form', 1, (w) => addValue(w, Buffer.alloc(0)), /Expr has no form/],
  ['an expression with two forms', 1, (w) => addValue(w, Buffer.concat([unit(w), unit(w)])), /more than one form/],
  ['an expression left out', 1, (w) => addValue(w, message(13, varint(1, 0))), /StructProj\.struct is missing/],
  [
    'a field given twice',
    1,
    (w) => addValue(w, message(13, varint(1, 0), bytes(2, unit(w)), bytes(2, unit(w)))),
    /the field struct is given twice/,
  ],
  ['an application without arguments', 1, (w) => addValue(w, message(15, bytes(1, unit(w)))), /App\.args is empty/],
  ['a string index out of range', 1, (w) => addValue(w, varint(2, 9999)), /there is no string 9999/],
  ['a negative index', 1, (w) => addValue(w, varint(2, -1)), /there is no string -1/],
  ['a name index out of range', 1, (w) => addModule(w, 'M', message(7, varint(1, 999))), /there is no dotted name 999/],
  ['a type index out of range', 1, (w) => addValue(w, bytes(29, w.type(999))), /there is no type 999/],
  ['a dotted name of missing strings', 1, (w) => w.addField(message(3, packed(1, [999]))), /no string 999/],
  ['a dotted name without segments', 1, (w) => w.addField(message(3)), /dotted name has no segments/],
  ['a dotted name with a bad segment', 1, (w) => w.dottedName('M.2x'), /"2x" is not a valid name/],
  ['a dotted name that is too long', 1, (w) => w.dottedName(`${'a'.repeat(600)}.${'b'.repeat(600)}`), /is too long/],
  ['a name with a space', 1, (w) => addValue(w, varint(2, w.string('a b'))), /"a b" is not a valid name/],
  ['a name that is not ASCII', 1, (w) => addValue(w, varint(2, w.string('é'))), /"é" is not a valid name/],
  [
    'a name that is too long',
    1,
    (w) => addValue(w, varint(2, w.string('a'.repeat(1001)))),
    /aaa…" is not a valid name/,
  ],
  ['a text that is not UTF-8', 1, (w) => w.addField(bytes(2, Buffer.from([0xc3]))), /not valid UTF-8/],
  ['a surrogate in UTF-8', 1, (w) => w.addField(bytes(2, Buffer.from([0xed, 0xa0, 0x80]))), /not valid UTF-8/],
  [
    'an invalid package id',
    1,
    (w) => addValue(w, message(3, w.id('M', 'x', 'a/b'))),
    /"a\/b" is not a valid package id/,
  ],
  [
    'a type that uses itself',
    1,
    (w) => w.builtinType('List', w.builtinType('Unit') + 1),
    /there is no type (\d+): the table has \1/,
  ],
  [
    'a type that uses a later one',
    2,
    (w) => w.addType(message(9, bytes(1, varint(8, 99)), bytes(2, varint(8, 0)))),
    /no type 99/,
  ],
  [
    'an interned type that is only a reference',
    1,
    (w) => w.addType(varint(8, 0)),
    /unknown field 8 in an interned Type/,
  ],
  [
    'a type written out where it is used',
    1,
    (w) => addValue(w, message(29, message(3, varint(1, 0)))),
    /unknown field 3 in Type outside the table/,
  ],
  [
    'a type with two forms',
    1,
    (w) => w.addType(Buffer.concat([signed(6, 1n), signed(6, 1n)])),
    /an interned Type has more than one/,
  ],
  ['a type without a form', 1, (w) => w.addType(Buffer.alloc(0)), /an interned Type has no form/],
  ['a type-level number of 38', 1, (w) => w.addType(signed(6, 38n)), /number 38 is not between 0 and 37/],
  ['a type-level number below zero', 1, (w) => w.addType(signed(6, -1n)), /number -1 is not between/],
  ['a development type', 1, (w) => w.addType(message(3, varint(1, 1002))), /no builtin type 1002 in LF 2\.1/],
  ['a struct type without fields', 1, (w) => w.addType(message(5)), /Struct\.fields is empty/],
  [
    'a struct type with a field twice',
    1,
    (w) => {
      const field = message(1, varint(3, w.string('a')), bytes(2, varint(8, 0)))
      w.addType(message(5, field, field))
    },
    /field "a" twice/,
  ],
  ['a binary type application', 1, (w) => w.addType(message(9)), /Type\.tapp is not available in LF 2\.1/],
  [
    'a type list',
    2,
    (w) => w.addType(message(3, varint(1, 10), bytes(2, varint(8, 0)))),
    /1 elements where LF 2\.2 allows 0/,
  ],
  ['a forall without variables', 1, (w) => w.addType(message(4, bytes(2, w.type(0)))), /Forall\.vars is empty/],
  ['a table of kinds', 1, (w) => w.addKind(message(1)), /table of kinds is not available in LF 2\.1/],
  [
    'a table of expressions',
    1,
    (w) => w.addExpression(varint(5, 0)),
    /table of expressions is not available in LF 2\.1/,
  ],
  ['an interned expression', 1, (w) => addValue(w, varint(44, 0)), /interned_expr is not available in LF 2\.1/],
  ['an interned kind', 1, (w) => w.addType(forallType(w, varint(4, 0))), /interned_kind is not available in LF 2\.1/],
  [
    'a kind that uses a later one',
    2,
    (w) => w.addKind(message(2, bytes(1, varint(4, 9)), bytes(2, varint(4, 9)))),
    /no kind 9/,
  ],
  [
    'an interned kind that is only a reference',
    2,
    (w) => w.addKind(varint(4, 0)),
    /unknown field 4 in an interned Kind/,
  ],
  [
    'a kind with two parameters',
    2,
    (w) => w.addKind(message(2, message(1, message(1)), message(1, message(1)), message(2, message(1)))),
    /Arrow\.params has 2/,
  ],
  ['kinds nested too deep', 1, (w) => w.addType(forallType(w, deepKind(600))), /nested more than 1000 deep/],
  ['an expression index out of range', 2, (w) => addValue(w, varint(44, 9999)), /there is no expression 9999/],
  ['an expression that uses itself', 2, (w) => cyclic(w, 0), /there is no expression \d+: .* may only use earlier/],
  [
    'an expression that uses a later one',
    2,
    (w) => cyclic(w, 1),
    /there is no expression \d+: .* may only use earlier/,
  ],
  [
    'an interned expression that is only a reference',
    2,
    (w) => addValue(w, varint(44, w.addExpression(varint(44, 0)))),
    /only a reference/,
  ],
  ['expressions nested too deep', 1, (w) => addValue(w, deepExpression(500)), /nested more than 1000 deep/],
  ['inline expressions nested too deep', 2, (w) => addValue(w, deepExpression(60)), /nested more than 100 deep/],
  [
    'a chain of interned expressions that is too long',
    2,
    (w) => chained(w, archiveLimits.flatDepthMax),
    /nested more than 10000 deep/,
  ],
  ['expressions that double at each step', 2, (w) => doubling(w, 40, 1), /has more than 10000000 parts/],
  [
    'a large expression in many values',
    2,
    (w) => doubling(w, 20, 20),
    /the package has more than 10000000 expressions/,
  ],
  ['types that double at each step', 1, (w) => doublingTypes(w), /a type has more than 100000 parts/],
  [
    'too many strings',
    1,
    (w) => w.addField(repeated(text(2, ''), archiveLimits.tableEntriesMax)),
    /interned_strings has more than 1000000/,
  ],
  [
    'too many types',
    1,
    (w) => w.addField(repeated(message(5, varint(6, 0)), archiveLimits.tableEntriesMax)),
    /interned_types has more than/,
  ],
  [
    'a type too large',
    1,
    (w) =>
      w.addType(message(2, bytes(1, w.id('M', 'T')), repeated(message(2, varint(6, 0)), archiveLimits.typeNodesMax))),
    /a type has more than 100000 parts/,
  ],
  [
    'too many parts of types',
    1,
    (w) => w.addField(repeated(message(5, message(3, varint(1, 0), repeated(message(2, varint(6, 0)), 50_000))), 41)),
    /all types together have more than 2000000/,
  ],
  [
    'too many values',
    1,
    (w) => addModule(w, 'M', repeated(valueNamed(w, 'x'), archiveLimits.bodiesMax)),
    /more than 500000 bodies/,
  ],
  ['types nested too deep', 1, (w) => deepTypes(w), /types are nested more than 1000 deep/],
  ['types that are copied too often', 2, (w) => copiedTypes(w), /all types together have more than 2000000 parts/],
  [
    'a record of too many fields',
    2,
    (w) => addModule(w, 'M', recordOf(w, archiveLimits.fieldsMax + 1)),
    /a data type has more than 10000 fields/,
  ],
  [
    'a package named directly',
    2,
    (w) => addValue(w, w.expression(message(3, w.id('M', 'x', otherPackage)))),
    /through its imports/,
  ],
  [
    'an import that is not declared',
    2,
    (w) => addValue(w, message(3, message(1, message(1, varint(4, 0))))),
    /declares no imports/,
  ],
  ['an import out of range', 2, (w) => importing(w, 1), /there is no package import 1/],
  [
    'an import in LF 2.1',
    1,
    (w) => addValue(w, message(3, message(1, message(1, varint(4, 0))))),
    /import is not available in LF 2\.1/,
  ],
  ['declared imports in LF 2.1', 1, (w) => w.addField(message(9)), /imports is not available in LF 2\.1/],
  [
    'imports and a reason to have none',
    2,
    (w) => [w.addField(message(9)), w.addField(text(8, 'none'))],
    /both declares imports/,
  ],
  ['an import that is not a package id', 2, (w) => w.addField(message(9, text(1, ''))), /"" is not a valid package id/],
  [
    'a reference to two packages',
    1,
    (w) => addValue(w, message(3, message(1, message(1, message(1), varint(3, 0))))),
    /more than one package/,
  ],
  [
    'a reference to itself with more to it',
    1,
    (w) => addValue(w, message(3, message(1, message(1, message(1, varint(1, 1)))))),
    /unknown field in Unit/,
  ],
  [
    'a reference with its name twice',
    1,
    (w) => addValue(w, message(3, varint(2, 0), varint(2, 0))),
    /field 2 of a definition reference is given twice/,
  ],
  [
    'a reference without a package',
    1,
    (w) => addValue(w, message(3, message(1, varint(2, 0)))),
    /module names no package/,
  ],
  ['a reference with an empty package', 1, (w) => addValue(w, message(3, message(1, message(1)))), /names no package/],
  ['a reference without a module', 1, (w) => addValue(w, message(3, varint(2, 0))), /names no module/],
  ['an unknown builtin', 1, (w) => addValue(w, varint(4, 24)), /no builtin function 24 in LF 2\.1/],
  ['a development builtin', 3, (w) => addValue(w, varint(4, 2001)), /no builtin function 2001 in LF 2\.3/],
  ['an unknown builtin constructor', 1, (w) => addValue(w, varint(5, 3)), /no builtin constructor 3/],
  ['a numeric without a point', 1, (w) => addNumeric(w, '1'), /"1" is not a numeric literal/],
  ['a numeric of 39 digits', 1, (w) => addNumeric(w, `${'9'.repeat(39)}.`), /more digits than a Numeric holds/],
  ['a numeric of scale 38', 1, (w) => addNumeric(w, `0.${'0'.repeat(38)}`), /more digits than a Numeric holds/],
  ['a date before the year 1', 1, (w) => addValue(w, message(6, varint(5, -719163))), /the date -719163/],
  [
    'a timestamp after the year 9999',
    1,
    (w) => addValue(w, message(6, fixed64(2, 253402300800000000n))),
    /the timestamp/,
  ],
  ['an unknown failure category', 1, (w) => addValue(w, message(6, varint(6, 2))), /no failure category 2/],
  ['a number of 11 bytes', 1, (w) => w.addField(Buffer.alloc(11, 0x80)), /more than 10 bytes/],
  ['a case without a pattern', 1, (w) => addValue(w, caseOf(w)), /CaseAlt has no pattern/],
  ['a case with two patterns', 1, (w) => addValue(w, caseOf(w, message(5), message(7))), /more than one pattern/],
  ['two metadata', 1, (w) => w.addField(message(4)), /has its metadata twice/],
  ['a module twice', 1, (w) => [addModule(w, 'M'), addModule(w, 'M')], /the module "M" is defined twice/],
  [
    'a value twice',
    1,
    (w) => addModule(w, 'M', valueNamed(w, 'x'), valueNamed(w, 'x')),
    /the definition "x" is defined twice/,
  ],
  ['a module without flags', 1, (w) => w.addModule(varint(1, w.dottedName('M'))), /Module\.flags is missing/],
  ['a data type without constructors', 1, (w) => addModule(w, 'M', message(4, varint(2, 0))), /has no constructors/],
  [
    'a data type of two kinds',
    1,
    (w) => addModule(w, 'M', message(4, message(5), message(6))),
    /both a record and a variant/,
  ],
  [
    'an enum with parameters',
    1,
    (w) => addModule(w, 'M', message(4, message(3, message(2, message(1))), message(7))),
    /type parameters/,
  ],
  [
    'a contract key',
    2,
    (w) => addModule(w, 'M', keyedTemplate(w)),
    /contract key of template Main is not available in LF 2\.2/,
  ],
  [
    'a number that goes on after its message',
    1,
    (w) => addValue(w, bytes(6, Buffer.from([0x28]))),
    /beyond the message it is in/,
  ],
  [
    'a number that goes on after its list',
    1,
    (w) => w.addField(message(3, bytes(1, Buffer.from([0x80])), Buffer.from([0]))),
    /beyond the list it is in/,
  ],
  ['a message that ends in a field', 1, (w) => w.addField(bytes(1, Buffer.from([0x12, 5, 8]))), /cut off/],
]

for (const index of [0, 1, 2]) {
  const flags = [0, 1, 2].map((flag) => varint(flag + 1, flag === index ? 0 : 1))
  const title = `a module with feature flag ${index + 1} off`
  changes.push([
    title,
    1,
    (w) => w.addModule(varint(1, w.dottedName('M')), message(2, ...flags)),
    /feature flag is off/,
  ])
}

for (const [title, minor, change, expected] of changes) {
  test(`LF 2.${minor}: a package with ${title} is refused`, () => refuses(sampleArchive(minor, change), expected))
}

const metadata: readonly (readonly [title: string, field: (w: PackageWriter) => Buffer, message: RegExp])[] = [
  ['no metadata', () => Buffer.alloc(0), /has no metadata/],
  [
    'a bad name',
    (w) => message(4, varint(1, w.string('a.b')), varint(2, w.string('1'))),
    /"a\.b" is not a valid package name/,
  ],
  [
    'a bad version',
    (w) => message(4, varint(1, w.string('a')), varint(2, w.string('1.01'))),
    /"1\.01" is not a valid package version/,
  ],
  [
    'a version too large',
    (w) => message(4, varint(1, w.string('a')), varint(2, w.string('2147483648'))),
    /not a valid package version/,
  ],
  [
    'a bad upgraded package',
    (w) => message(4, varint(1, w.string('a')), varint(2, w.string('1')), message(3, varint(1, w.string('?')))),
    /"\?" is not a valid package id/,
  ],
]

for (const [title, field, expected] of metadata) {
  test(`a package with ${title} is refused`, () => {
    const w = createPackageWriter(1)
    refuses(archiveOf(payloadOf(w.finish(field(w)), '1')), expected)
  })
}

test('a refusal says which package, module and definition it is about', () => {
  const archive = sampleArchive(1, (w) => addValue(w, varint(2, 9999)))
  refuses(archive, /^package [0-9a-f]{64}, module Added, value added: there is no string 9999: .* \(at byte \d+\)$/)
})

test('messages nested as deep as Canton allows are read, and one level more is refused', () => {
  const depthOfBody = 3
  const levels = Math.floor((archiveLimits.messageDepthMaxInline - depthOfBody) / 2)
  const nested = (depth: number) => sampleArchive(1, (w) => addValue(w, deepExpression(depth)))
  const { decoded } = decodeAll(nested(levels))
  let [expression, depth] = [decoded.modules.get('Added')!.values.get('added')!.body(), 0]
  for (; expression.kind === 'struct-projection'; depth += 1) expression = expression.struct
  assert.equal(depth, levels)
  refuses(nested(levels + 1), /nested more than 1000 deep/)
})

function refuses(archive: Uint8Array, expected: RegExp): void {
  assert.throws(
    () => decodeAll(archive),
    (error) => {
      assert(error instanceof ArchiveError)
      assert.match(error.message, expected)
      return true
    },
  )
}

const repeated = (part: Buffer, count: number): Buffer => Buffer.alloc(part.length * count, part)

function addModule(w: PackageWriter, name: string, ...definitions: Buffer[]): void {
  w.addModule(varint(1, w.dottedName(name)), goodFlags, ...definitions)
}

function valueNamed(w: PackageWriter, name: string, body = unit(w)): Buffer {
  return message(5, message(2, varint(1, w.dottedName(name)), bytes(2, w.type(0))), bytes(3, body))
}

function addValue(w: PackageWriter, body: Buffer): void {
  addModule(w, 'Added', valueNamed(w, 'added', body))
}

function addNumeric(w: PackageWriter, digits: string): void {
  addValue(w, message(6, varint(3, w.string(digits))))
}

function caseOf(w: PackageWriter, ...patterns: Buffer[]): Buffer {
  return message(19, bytes(1, unit(w)), message(2, bytes(1, unit(w)), ...patterns))
}

function forallType(w: PackageWriter, kind: Buffer): Buffer {
  return message(4, message(1, varint(3, w.string('a')), bytes(2, kind)), bytes(2, w.type(0)))
}

function keyedTemplate(w: PackageWriter): Buffer {
  const key = message(9, bytes(1, w.type(0)), bytes(3, unit(w)), bytes(4, unit(w)))
  return message(6, varint(1, w.dottedName('Main')), bytes(4, unit(w)), bytes(7, unit(w)), key)
}

function importing(w: PackageWriter, index: number): void {
  w.addField(message(9, text(1, otherPackage)))
  addValue(w, message(3, message(1, message(1, varint(4, index)))))
}

/** An entry of the table that refers to itself, or to a later one. */
function cyclic(w: PackageWriter, further: number): void {
  const index = w.addExpression(varint(5, 0)) + 1
  addValue(w, varint(44, w.addExpression(message(13, varint(1, 0), bytes(2, varint(44, index + further))))))
}

function chained(w: PackageWriter, length: number): void {
  let last = w.addExpression(varint(5, 0))
  for (let i = 0; i < length; i++) last = w.addExpression(message(13, varint(1, 0), bytes(2, varint(44, last))))
  addValue(w, varint(44, last))
}

function doubling(w: PackageWriter, steps: number, uses: number): void {
  let last = varint(44, w.addExpression(varint(5, 0)))
  for (let i = 0; i < steps; i++) last = varint(44, w.addExpression(message(15, bytes(1, last), bytes(2, last))))
  addModule(w, 'Added', ...Array.from({ length: uses }, (_, i) => valueNamed(w, `added${i}`, last)))
}

function doublingTypes(w: PackageWriter): void {
  let last = 0
  for (let i = 0; i < 40; i++) last = w.builtinType('Arrow', last, last)
}

/** Merging applications copies their arguments: one more for each entry. */
function copiedTypes(w: PackageWriter): void {
  const [start, chain] = [w.constructorType(w.id('M', 'T')), 150]
  for (let i = 0, last = start; i < 40_000; i++) {
    last = w.addType(message(9, bytes(1, w.type(i % chain === 0 ? start : last)), bytes(2, w.type(start))))
  }
}

function recordOf(w: PackageWriter, count: number): Buffer {
  const field = message(1, varint(3, w.string('f')), bytes(2, w.type(w.builtinType('Text'))))
  return message(4, varint(2, w.dottedName('R')), bytes(5, repeated(field, count)))
}

function deepTypes(w: PackageWriter): void {
  let last = 0
  for (let i = 0; i <= archiveLimits.typeDepthMax; i++) last = w.builtinType('List', last)
}
