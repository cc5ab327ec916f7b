import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { createEngine } from '../../engine/engine.ts'
import { compareValues } from '../../engine/values/order.ts'
import { createProtobufCodec } from '../../lf/codec/protobuf.ts'
import { decodeDar } from '../../lf/dar/dar.ts'
import type { FieldType, Type } from '../../lf/syntax/ast.ts'
import { OrderedMap } from '../../lf/values/ordered-map.ts'
import {
  Any,
  arrayFromList,
  Cons,
  ContractId,
  EnumValue,
  LfRecord,
  type LfValue,
  type List,
  nil,
  none,
  Some,
  TypeRep,
  unit,
  Variant,
} from '../../lf/values/values.ts'
import type { ErrorBody } from '../participants.ts'
import { createScriptValues } from '../script-values.ts'
import { submitErrorOf } from './submit-errors.ts'

const dar = decodeDar(readFileSync(new URL('../../../test/lf/scripts-lf23.dar', import.meta.url)))
const byId = new Map(dar.packages.map((each) => [each.package.id, each.package]))
const packages = { get: (id: string) => byId.get(id) }
const engine = createEngine(packages)
const packageId = dar.main.package.id
const values = createScriptValues({ packages, engine, libraryId: packageId })
const { encode } = createProtobufCodec({ dataTypes: engine.dataTypes, compare: compareValues })

const typeOf = (name: string): Type => ({ kind: 'constructor', id: { packageId, module: 'Scripts', name }, args: [] })
const base64 = (name: string, json: object) =>
  Buffer.from(encode(values.fromJson(typeOf(name), json), typeOf(name))).toString('base64')
const coin = `${packageId}:Scripts:Coin`
const valued = `${packageId}:Scripts:Valued`
const coinValue = base64('Coin', { issuer: 'i', owner: 'o', number: '1' })
const keyValue = base64('Key', { issuer: 'i', number: '1' })
const oopsValue = base64('Oops', { text: 'oops' })
const [id, other] = [`00${'a'.repeat(66)}`, `00${'b'.repeat(66)}`]
const keyResources: [string, string][] = [
  ['TEMPLATE_ID', coin],
  ['CONTRACT_KEY', keyValue],
  ['PACKAGE_NAME', 'scripts-lf23'],
]

const errorWith = (code: string, resources: ErrorBody['resources'] = [], context = {}): ErrorBody => ({
  status: 400,
  code,
  cause: 'because',
  category: 9,
  grpcCode: 9,
  correlationId: '0123456789',
  hint: undefined,
  context,
  resources,
})
const text = (code: string) => `${code}(9,01234567): because`

/** A value as nested lists: constructors and fields by name. */
function plain(value: LfValue): unknown {
  if (value instanceof Variant) return { [value.type.tags[value.rank]!]: plain(value.value) }
  if (value instanceof EnumValue) return value.type.tags[value.rank]
  if (value instanceof LfRecord) {
    return Object.fromEntries(
      value.type.fieldsOf(value).map((field, index) => [value.type.fieldNames[index], plain(field)]),
    )
  }
  if (value instanceof Cons || value === nil) return arrayFromList(value as List).map(plain)
  if (value instanceof OrderedMap) return Object.fromEntries([...value.entries()] as [string, string][])
  if (value instanceof Some) return { some: plain(value.value) }
  if (value === none) return null
  if (value === unit) return {}
  if (value instanceof ContractId) return value.text
  if (value instanceof TypeRep) return nameOf(value.type)
  if (value instanceof Any) return { [nameOf(value.type)]: plain(value.value) }
  return value
}
const nameOf = (type: Type): string => (type.kind === 'constructor' ? type.id.name : type.kind)

const shownCoin = { getAnyTemplate: { Coin: { issuer: 'i', owner: 'o', number: 1 } } }
const shownKey = {
  getAnyContractKey: { issuer: 'i', number: 1 },
  getAnyContractKeyTemplateTypeRep: { getTemplateTypeRep: 'Coin' },
}
const rep = (name: string) => ({ getTemplateTypeRep: name })
const shownId = { templateId: rep('Coin'), contractId: id }
const notFound = (first: string, ...others: string[]) => ({
  ContractNotFound: { unknownContractIds: { hd: first, tl: others }, additionalDebuggingInfo: null },
})
const upgrade = (errorType: object, code: string) => ({ UpgradeError: { errorType, errorMessage: text(code) } })
const upgradeOf = (kind: string) => `INTERPRETATION_UPGRADE_ERROR_${kind}`
const crypto = (kind: string, field: string) => ({
  CryptoError: { cryptoErrorType: { [kind]: { [field]: 'zz' } }, cryptoErrorMessage: text(cryptoCode(kind)) },
})
const cryptoCode = (kind: string) =>
  `INTERPRETATION_CRYPTO_ERROR_${kind.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase()}`
const externalCall: [string, string][] = [
  ['EXTERNAL_CALL_EXTENSION_ID', 'extension'],
  ['EXTERNAL_CALL_FUNCTION_ID', 'function'],
  ['EXCEPTION_TEXT', 'because'],
]
const called = (externalCallErrorType: string) => ({
  ExternalCallError: {
    externalCallErrorType,
    extensionId: 'extension',
    functionId: 'function',
    externalCallErrorMessage: 'because',
  },
})
const templates: [string, string][] = [
  ['TEMPLATE_ID', coin],
  ['TEMPLATE_ID', coin],
]

const cases: [code: string, resources: [string, string][], wanted: object][] = [
  ['CONTRACT_NOT_FOUND', [['CONTRACT_ID', id]], notFound(id)],
  ['CONTRACT_NOT_FOUND', [['CONTRACT_IDS', `[${id}, ${other}]`]], notFound(id, other)],
  [
    'CONTRACT_NOT_ACTIVE',
    [
      ['TEMPLATE_ID', coin],
      ['CONTRACT_ID', id],
    ],
    notFound(id),
  ],
  ['UNSUPPORTED_CONTRACT_ID', [['CONTRACT_ID', id]], { UnsupportedContractId: { unknownContractId: id } }],
  ['UNRESOLVED_PACKAGE_NAME', [['PACKAGE_NAME', 'p']], { UnresolvedPackageName: { packageName: 'p' } }],
  ['CONTRACT_KEY_NOT_FOUND', keyResources, { ContractKeyNotFound: { contractKey: shownKey } }],
  ['INCONSISTENT_CONTRACT_KEY', keyResources, { InconsistentContractKey: { contractKey: shownKey } }],
  ['DUPLICATE_CONTRACT_KEY', keyResources, { DuplicateContractKey: { duplicateContractKey: { some: shownKey } } }],
  ['DUPLICATE_CONTRACT_KEY', [], { DuplicateContractKey: { duplicateContractKey: null } }],
  [
    'FETCH_EMPTY_CONTRACT_KEY_MAINTAINERS',
    keyResources,
    { FetchEmptyContractKeyMaintainers: { failedTemplateKey: shownKey } },
  ],
  [
    'DAML_AUTHORIZATION_ERROR',
    [],
    { AuthorizationError: { authorizationErrorMessage: text('DAML_AUTHORIZATION_ERROR') } },
  ],
  [
    'DAML_EFFECTFUL_ROLLBACK_ERROR',
    [],
    { EffectfulRollbackError: { effectfulRollbackErrorMsg: text('DAML_EFFECTFUL_ROLLBACK_ERROR') } },
  ],
  [
    'CONTRACT_HASHING_ERROR',
    [
      ['CONTRACT_ID', id],
      ['TEMPLATE_ID', coin],
      ['CONTRACT_ARG', coinValue],
    ],
    {
      ContractHashingError: {
        contractId: shownId,
        dstTemplateId: rep('Coin'),
        createArg: shownCoin,
        errorMessage: text('CONTRACT_HASHING_ERROR'),
      },
    },
  ],
  [
    'DISCLOSED_CONTRACT_KEY_HASHING_ERROR',
    [
      ['TEMPLATE_ID', coin],
      ['CONTRACT_ID', id],
      ['CONTRACT_KEY', keyValue],
      ['CONTRACT_KEY_HASH', 'ff'],
      ['PACKAGE_NAME', 'scripts-lf23'],
    ],
    { DisclosedContractKeyHashingError: { contractId: shownId, expectedKey: shownKey, givenKeyHash: 'ff' } },
  ],
  ['LOCAL_VERDICT_LOCKED_KEYS', [], { LocalVerdictLockedKeys: { localVerdictLockedKeys: [] } }],
  ['LOCAL_VERDICT_LOCKED_CONTRACTS', [], { LocalVerdictLockedContracts: { localVerdictLockedContracts: [] } }],
  [
    'UNHANDLED_EXCEPTION',
    [
      ['EXCEPTION_TYPE', `${packageId}:Scripts:Oops`],
      ['EXCEPTION_VALUE', oopsValue],
    ],
    { UnhandledException: { exc: { some: { Oops: { text: 'oops' } } } } },
  ],
  ['UNHANDLED_EXCEPTION', [], { UnhandledException: { exc: null } }],
  ['INTERPRETATION_USER_ERROR', [['EXCEPTION_TEXT', 'stop']], { UserError: { userErrorMessage: 'stop' } }],
  ['TEMPLATE_PRECONDITION_VIOLATED', [], { TemplatePreconditionViolated: {} }],
  [
    'CREATE_EMPTY_CONTRACT_KEY_MAINTAINERS',
    [
      ['TEMPLATE_ID', coin],
      ['CONTRACT_ARG', coinValue],
    ],
    { CreateEmptyContractKeyMaintainers: { invalidTemplate: shownCoin } },
  ],
  [
    'WRONGLY_TYPED_CONTRACT',
    [['CONTRACT_ID', id], ...templates],
    {
      WronglyTypedContract: {
        contractId: shownId,
        expectedTemplateId: rep('Coin'),
        actualTemplateId: rep('Coin'),
      },
    },
  ],
  [
    'CONTRACT_DOES_NOT_IMPLEMENT_INTERFACE',
    [
      ['CONTRACT_ID', id],
      ['TEMPLATE_ID', coin],
      ['INTERFACE_ID', valued],
    ],
    {
      ContractDoesNotImplementInterface: {
        contractId: shownId,
        templateId: rep('Coin'),
        interfaceId: rep('Valued'),
      },
    },
  ],
  [
    'CONTRACT_DOES_NOT_IMPLEMENT_REQUIRING_INTERFACE',
    [
      ['CONTRACT_ID', id],
      ['TEMPLATE_ID', coin],
      ['INTERFACE_ID', valued],
      ['INTERFACE_ID', valued],
    ],
    {
      ContractDoesNotImplementRequiringInterface: {
        contractId: shownId,
        templateId: rep('Coin'),
        requiredInterfaceId: rep('Valued'),
        requiringInterfaceId: rep('Valued'),
      },
    },
  ],
  ['NON_COMPARABLE_VALUES', [], { NonComparableValues: {} }],
  ['CONTRACT_ID_IN_CONTRACT_KEY', [], { ContractIdInContractKey: {} }],
  ['CONTRACT_ID_COMPARABILITY', [['CONTRACT_ID', id]], { ContractIdComparability: { globalExistingContractId: id } }],
  ['VALUE_NESTING', [], { ValueNesting: { limit: 100 } }],
  [
    upgradeOf('VALIDATION_FAILED'),
    [
      ['CONTRACT_ID', id],
      ...templates,
      ['PACKAGE_NAME', 'p'],
      ['PACKAGE_NAME', 'q'],
      ['PARTIES', 'a,b'],
      ['PARTIES', ''],
      ['NULLABLE_CONTRACT_KEY', keyValue],
      ['NULLABLE_PACKAGE_NAME', 'p'],
      ['NULLABLE_PARTIES', 'a'],
      ['PARTIES', 'c'],
      ['PARTIES', 'd'],
      ['NULLABLE_CONTRACT_KEY', 'NULL'],
      ['NULLABLE_PACKAGE_NAME', 'NULL'],
      ['NULLABLE_PARTIES', 'NULL'],
    ],
    upgrade(
      {
        ValidationFailed: {
          coid: shownId,
          srcTemplateId: rep('Coin'),
          dstTemplateId: rep('Coin'),
          srcPackageName: 'p',
          dstPackageName: 'q',
          originalSignatories: ['a', 'b'],
          originalNonSignatoryStakeholders: [],
          originalKeyOpt: { some: { _1: shownKey, _2: ['a'] } },
          recomputedSignatories: ['c'],
          recomputedNonSignatoryStakeholders: ['d'],
          recomputedKeyOpt: null,
        },
      },
      upgradeOf('VALIDATION_FAILED'),
    ),
  ],
  [
    upgradeOf('TRANSLATION_FAILED'),
    [['NULLABLE_CONTRACT_ID', 'NULL'], ...templates, ['CONTRACT_ARG', coinValue]],
    upgrade(
      {
        TranslationFailed: {
          mCoid: null,
          srcTemplateId: rep('Coin'),
          dstTemplateId: rep('Coin'),
          createArg: shownCoin,
        },
      },
      upgradeOf('TRANSLATION_FAILED'),
    ),
  ],
  [
    upgradeOf('AUTHENTICATION_FAILED'),
    [['CONTRACT_ID', id], ...templates, ['CONTRACT_ARG', coinValue]],
    upgrade(
      {
        AuthenticationFailed: {
          coid: shownId,
          srcTemplateId: rep('Coin'),
          dstTemplateId: rep('Coin'),
          createArg: shownCoin,
        },
      },
      upgradeOf('AUTHENTICATION_FAILED'),
    ),
  ],
  [cryptoCode('MalformedByteEncoding'), [['CRYPTO_VALUE', 'zz']], crypto('MalformedByteEncoding', 'value')],
  [cryptoCode('MalformedKey'), [['CRYPTO_VALUE', 'zz']], crypto('MalformedKey', 'keyValue')],
  [cryptoCode('MalformedSignature'), [['CRYPTO_VALUE', 'zz']], crypto('MalformedSignature', 'signatureValue')],
  ['INTERPRETATION_EXTERNAL_CALL_ERROR_PREPARATION_FAILED', externalCall, called('PreparationFailed')],
  ['INTERPRETATION_EXTERNAL_CALL_ERROR_EXECUTION_FAILED', externalCall, called('ExecutionFailed')],
  ['INTERPRETATION_EXTERNAL_CALL_ERROR_INVALID_OUTPUT', externalCall, called('InvalidOutput')],
  [
    'INTERPRETATION_DEV_ERROR',
    [['DEV_ERROR_TYPE', 'ChoiceGuardFailed']],
    { DevError: { devErrorType: 'ChoiceGuardFailed', devErrorMessage: text('INTERPRETATION_DEV_ERROR') } },
  ],
  ['DUPLICATE_COMMAND', [], { UnknownError: { unknownErrorMessage: text('DUPLICATE_COMMAND') } }],
  [
    'CONTRACT_KEY_NOT_FOUND',
    [],
    {
      TruncatedError: {
        truncatedErrorType: 'ContractKeyNotFound',
        truncatedErrorMessage: text('CONTRACT_KEY_NOT_FOUND'),
      },
    },
  ],
]

const around = { values, hasLegacyKeys: false }

for (const [code, resources, wanted] of cases) {
  test(`${code} with ${resources.length} resources is ${Object.keys(wanted)[0]}`, () => {
    assert.deepEqual(plain(submitErrorOf(errorWith(code, resources), around)), wanted)
  })
}

test('DAML_FAILURE is the status that Daml code chose, without what the node adds', () => {
  const context = { category: '9', error_id: 'MINE', tid: 't', commands: '{}', key: 'value' }
  const error = { ...errorWith('DAML_FAILURE', [], context), cause: 'Error: MINE (error category 9): because' }
  assert.deepEqual(plain(submitErrorOf(error, around)), {
    FailureStatusError: {
      failureStatus: { errorId: 'MINE', category: 9, message: 'because', meta: { key: 'value' } },
    },
  })
})

test('every constructor of SubmitError is made by a code', () => {
  const made = new Set([...cases.map(([, , wanted]) => Object.keys(wanted)[0]), 'FailureStatusError'])
  const { tags } = engine.dataTypes.variant(values.ofLibrary('Questions.Submit.Error', 'SubmitError'))
  assert.deepEqual(
    tags.filter((tag) => !made.has(tag)),
    [],
  )
})

test('keys of scripts with an older library are those of the standard library', () => {
  const error = submitErrorOf(errorWith('CONTRACT_KEY_NOT_FOUND', keyResources), { values, hasLegacyKeys: true })
  assert.deepEqual(plain(error), {
    ContractKeyNotFound: {
      contractKey: { ...shownKey, getAnyContractKey: { Key: { issuer: 'i', number: 1 } } },
    },
  })
})

/** The library with other fields in one of its types. */
function libraryWith(type: string, fields: (given: readonly FieldType[]) => readonly FieldType[]) {
  const module = 'Daml.Script.Internal.Questions.Submit.Error'
  const main = byId.get(packageId)!
  const given = main.modules.get(module)!
  const definition = given.dataTypes.get(type)!
  const { constructors } = definition
  assert.ok('fields' in constructors)
  const changed = { ...definition, constructors: { ...constructors, fields: fields(constructors.fields) } }
  const errors = { ...given, dataTypes: new Map([...given.dataTypes, [type, changed]]) }
  const library = { ...main, modules: new Map([...main.modules, [module, errors]]) }
  const changedPackages = { get: (wanted: string) => (wanted === packageId ? library : byId.get(wanted)) }
  const parts = { packages: changedPackages, engine: createEngine(changedPackages), libraryId: packageId }
  return { values: createScriptValues(parts), hasLegacyKeys: false }
}

const [, validationResources] = cases.find(([code]) => code === upgradeOf('VALIDATION_FAILED'))!

test('a failed upgrade has the fields that the library of Daml 3.4 and 3.5 names', () => {
  const older = libraryWith('UpgradeErrorType.ValidationFailed', (fields) =>
    fields.map(({ name, type }) => ({ name: name.replace('NonSignatoryStakeholders', 'Observers'), type })),
  )
  const error = plain(submitErrorOf(errorWith(upgradeOf('VALIDATION_FAILED'), validationResources), older))
  const { errorType } = (error as { UpgradeError: { errorType: { ValidationFailed: object } } }).UpgradeError
  assert.partialDeepStrictEqual(errorType.ValidationFailed, { originalObservers: [], recomputedObservers: ['d'] })
})

test('an error within an error that the library does not know yet is an UnknownError', () => {
  const older = libraryWith('UpgradeErrorType', (fields) => fields.filter(({ name }) => name !== 'ValidationFailed'))
  assert.deepEqual(plain(submitErrorOf(errorWith(upgradeOf('VALIDATION_FAILED'), validationResources), older)), {
    UnknownError: {
      unknownErrorMessage: 'Outdated daml-script library failed to represent ValidationFailed error as SubmitError',
    },
  })
})
