// A refused submission as the library's SubmitError: a row for each error code. Values come from the resources that the
// error names, never from its text. An error whose resources were left out for their size becomes TruncatedError.
import { descriptionOf } from '../../base/error-answer.ts'
import { ValueError } from '../../lf/codec/value-error.ts'
import type { Identifier } from '../../lf/syntax/ast.ts'
import type { LfValue } from '../../lf/values/values.ts'
import type { ErrorBody } from '../participants.ts'
import { type Fields, identifierIn, type ScriptValues } from '../script-values.ts'

type Surroundings = {
  readonly values: ScriptValues
  readonly hasLegacyKeys: boolean
  /** Why a contract was not found, if that is known. */
  readonly missing?: LfValue | undefined
}

/** The name of the constructor, and its fields. */
type Row = {
  readonly tag: string
  /** The kinds of the resources that it needs, in Canton's order. */
  readonly resources?: readonly string[]
  fields?(names: readonly string[], error: ErrorBody, around: Surroundings): Fields
}

const keyResources = ['TEMPLATE_ID', 'CONTRACT_KEY', 'PACKAGE_NAME']
const errorModule = 'Questions.Submit.Error'

export function submitErrorOf(error: ErrorBody, around: Surroundings): LfValue {
  const { values } = around
  const type = values.ofLibrary(errorModule, 'SubmitError')
  const make = (tag: string, fields: Fields = []): LfValue => {
    if (values.hasConstructor(type, tag)) return values.variant(type, tag, fields)
    throw new Outdated(tag)
  }
  const unknown = (text: string) => make('UnknownError', [['unknownErrorMessage', text]])
  const candidates = rows.get(error.code ?? '')
  if (candidates === undefined) return unknown(descriptionOf(error))
  const row = candidates.find(({ resources }) => resources === undefined || hasResources(error, resources))
  try {
    const fields = row && fieldsOf(row, error, around)
    if (row !== undefined && fields !== undefined) return make(row.tag, fields)
  } catch (problem) {
    if (!(problem instanceof Outdated)) throw problem
    return unknown(`Outdated daml-script library failed to represent ${problem.message} error as SubmitError`)
  }
  return make('TruncatedError', [
    ['truncatedErrorType', candidates[0]!.tag],
    ['truncatedErrorMessage', descriptionOf(error)],
  ])
}

/** The script's library has no such constructor: it is older than the error. */
class Outdated extends Error {}

function hasResources({ resources }: ErrorBody, kinds: readonly string[]): boolean {
  return resources.length === kinds.length && kinds.every((kind, index) => resources[index]![0] === kind)
}

/** Undefined if the values in the resources are not what they should be. */
function fieldsOf({ fields }: Row, error: ErrorBody, around: Surroundings): Fields | undefined {
  try {
    return (
      fields?.(
        error.resources.map(([, name]) => name),
        error,
        around,
      ) ?? []
    )
  } catch (problem) {
    if (problem instanceof ValueError) return undefined
    throw problem
  }
}

// ── Parts of errors

function keyOf(template: string, key: string, { values, hasLegacyKeys }: Surroundings): LfValue {
  const templateId = identifierIn(template)
  const type = values.keyTypeOf(templateId)
  return values.anyContractKey({ templateId, key: { type, value: values.fromBase64(type, key) } }, hasLegacyKeys)
}

function templateOf(id: Identifier, argument: string, { values }: Surroundings): LfValue {
  return values.anyTemplate(id, values.fromBase64(values.typeOf(id), argument))
}

const contractIdAs = (template: string, contractId: string, { values }: Surroundings): LfValue =>
  values.anyContractId(identifierIn(template), contractId)

const repOf = (type: string, { values }: Surroundings): LfValue => values.typeRep(identifierIn(type))

const partiesOf = (text: string, { values }: Surroundings): LfValue =>
  values.list(text.trim() === '' ? [] : text.split(','))

/** Of what may be missing, Canton says NULL. */
const present = (text: string): string | undefined => (text === 'NULL' ? undefined : text)

function keyWithMaintainers(template: string, [key, , maintainers]: readonly string[], around: Surroundings): LfValue {
  const { values } = around
  const [knownKey, knownMaintainers] = [present(key!), present(maintainers!)]
  if (knownKey === undefined || knownMaintainers === undefined) return values.optional(undefined)
  return values.optional(values.tuple2(keyOf(template, knownKey, around), partiesOf(knownMaintainers, around)))
}

function innerVariant(type: string, tag: string, fields: Fields, { values }: Surroundings): LfValue {
  const id = values.ofLibrary(errorModule, type)
  if (!values.hasConstructor(id, tag)) throw new Outdated(tag)
  return values.variant(id, tag, fields)
}

// ── The rows

const contractNotFound = (ids: readonly string[], { values, missing }: Surroundings): Fields => [
  ['unknownContractIds', values.nonEmpty(ids)],
  ['additionalDebuggingInfo', values.optional(missing)],
]

const keyRow = (tag: string, field: string): Row => ({
  tag,
  resources: keyResources,
  fields: ([template, key], _, around) => [[field, keyOf(template!, key!, around)]],
})

const cryptoRow = (kind: string, field: string): Row => ({
  tag: 'CryptoError',
  resources: ['CRYPTO_VALUE'],
  fields: ([value], error, around) => [
    ['cryptoErrorType', innerVariant('CryptoErrorType', kind, [[field, value]], around)],
    ['cryptoErrorMessage', descriptionOf(error)],
  ],
})

const externalCallRow = (kind: string): Row => ({
  tag: 'ExternalCallError',
  resources: ['EXTERNAL_CALL_EXTENSION_ID', 'EXTERNAL_CALL_FUNCTION_ID', 'EXCEPTION_TEXT'],
  fields: ([extensionId, functionId, text], _, { values }) => [
    ['externalCallErrorType', values.enumOf(values.ofLibrary(errorModule, 'ExternalCallErrorType'), kind)],
    ['extensionId', extensionId],
    ['functionId', functionId],
    ['externalCallErrorMessage', text],
  ],
})

const upgradeFields = (kind: string, fields: Fields, error: ErrorBody, around: Surroundings): Fields => [
  ['errorType', innerVariant('UpgradeErrorType', kind, fields, around)],
  ['errorMessage', descriptionOf(error)],
]

/** What the node, and not the Daml code, says about a failure. */
const ownContext: ReadonlySet<string> = new Set([
  ...['commands', 'definite_answer', 'tid', 'category', 'participant', 'error_id', 'exercise_trace'],
  ...['choice', 'definition', 'location', 'exercises', 'transaction', 'traces', 'hint'],
])

const failureStatus: NonNullable<Row['fields']> = (_, { context, cause }, { values }) => {
  const errorId = context.error_id ?? ''
  const category = Number(context.category ?? 9)
  const start = `${errorId} (error category ${category}): `
  const at = cause.indexOf(start)
  const meta = Object.entries(context).filter(([name]) => !ownContext.has(name))
  return [
    [
      'failureStatus',
      values.failureStatus([
        ['errorId', errorId],
        ['category', category],
        ['message', at < 0 ? cause : cause.slice(at + start.length)],
        ['meta', values.textMap(meta)],
      ]),
    ],
  ]
}

const table: Readonly<Record<string, Row | readonly Row[]>> = {
  CONTRACT_NOT_FOUND: [
    {
      tag: 'ContractNotFound',
      resources: ['CONTRACT_ID'],
      fields: ([id], _, around) => contractNotFound([id!], around),
    },
    {
      tag: 'ContractNotFound',
      resources: ['CONTRACT_IDS'],
      fields: ([ids], _, around) => contractNotFound(ids!.slice(1, -1).split(', '), around),
    },
  ],
  CONTRACT_NOT_ACTIVE: {
    tag: 'ContractNotFound',
    resources: ['TEMPLATE_ID', 'CONTRACT_ID'],
    fields: ([, id], _, around) => contractNotFound([id!], around),
  },
  UNSUPPORTED_CONTRACT_ID: {
    tag: 'UnsupportedContractId',
    resources: ['CONTRACT_ID'],
    fields: ([id]) => [['unknownContractId', id]],
  },
  UNRESOLVED_PACKAGE_NAME: {
    tag: 'UnresolvedPackageName',
    resources: ['PACKAGE_NAME'],
    fields: ([name]) => [['packageName', name]],
  },
  CONTRACT_KEY_NOT_FOUND: keyRow('ContractKeyNotFound', 'contractKey'),
  INCONSISTENT_CONTRACT_KEY: keyRow('InconsistentContractKey', 'contractKey'),
  FETCH_EMPTY_CONTRACT_KEY_MAINTAINERS: keyRow('FetchEmptyContractKeyMaintainers', 'failedTemplateKey'),
  DUPLICATE_CONTRACT_KEY: [
    {
      tag: 'DuplicateContractKey',
      resources: keyResources,
      fields: ([template, key], _, around) => [
        ['duplicateContractKey', around.values.optional(keyOf(template!, key!, around))],
      ],
    },
    {
      tag: 'DuplicateContractKey',
      resources: [],
      fields: (_, __, { values }) => [['duplicateContractKey', values.optional(undefined)]],
    },
  ],
  DAML_AUTHORIZATION_ERROR: {
    tag: 'AuthorizationError',
    fields: (_, error) => [['authorizationErrorMessage', descriptionOf(error)]],
  },
  DAML_EFFECTFUL_ROLLBACK_ERROR: {
    tag: 'EffectfulRollbackError',
    fields: (_, error) => [['effectfulRollbackErrorMsg', descriptionOf(error)]],
  },
  CONTRACT_HASHING_ERROR: {
    tag: 'ContractHashingError',
    resources: ['CONTRACT_ID', 'TEMPLATE_ID', 'CONTRACT_ARG'],
    fields: ([id, template, argument], error, around) => [
      ['contractId', contractIdAs(template!, id!, around)],
      ['dstTemplateId', repOf(template!, around)],
      ['createArg', templateOf(identifierIn(template!), argument!, around)],
      ['errorMessage', descriptionOf(error)],
    ],
  },
  DISCLOSED_CONTRACT_KEY_HASHING_ERROR: {
    tag: 'DisclosedContractKeyHashingError',
    resources: ['TEMPLATE_ID', 'CONTRACT_ID', 'CONTRACT_KEY', 'CONTRACT_KEY_HASH', 'PACKAGE_NAME'],
    fields: ([template, id, key, hash], _, around) => [
      ['contractId', contractIdAs(template!, id!, around)],
      ['expectedKey', keyOf(template!, key!, around)],
      ['givenKeyHash', hash],
    ],
  },
  LOCAL_VERDICT_LOCKED_KEYS: {
    tag: 'LocalVerdictLockedKeys',
    fields: (_, __, { values }) => [['localVerdictLockedKeys', values.list([])]],
  },
  LOCAL_VERDICT_LOCKED_CONTRACTS: {
    tag: 'LocalVerdictLockedContracts',
    fields: (_, __, { values }) => [['localVerdictLockedContracts', values.list([])]],
  },
  UNHANDLED_EXCEPTION: [
    {
      tag: 'UnhandledException',
      resources: ['EXCEPTION_TYPE', 'EXCEPTION_VALUE'],
      fields: ([type, value], _, { values }) => {
        const id = identifierIn(type!)
        return [['exc', values.optional(values.any(id, values.fromBase64(values.typeOf(id), value!)))]]
      },
    },
    {
      tag: 'UnhandledException',
      resources: [],
      fields: (_, __, { values }) => [['exc', values.optional(undefined)]],
    },
  ],
  INTERPRETATION_USER_ERROR: {
    tag: 'UserError',
    resources: ['EXCEPTION_TEXT'],
    fields: ([text]) => [['userErrorMessage', text]],
  },
  TEMPLATE_PRECONDITION_VIOLATED: { tag: 'TemplatePreconditionViolated' },
  CREATE_EMPTY_CONTRACT_KEY_MAINTAINERS: {
    tag: 'CreateEmptyContractKeyMaintainers',
    resources: ['TEMPLATE_ID', 'CONTRACT_ARG'],
    fields: ([template, argument], _, around) => [
      ['invalidTemplate', templateOf(identifierIn(template!), argument!, around)],
    ],
  },
  WRONGLY_TYPED_CONTRACT: {
    tag: 'WronglyTypedContract',
    resources: ['CONTRACT_ID', 'TEMPLATE_ID', 'TEMPLATE_ID'],
    fields: ([id, expected, actual], _, around) => [
      ['contractId', contractIdAs(actual!, id!, around)],
      ['expectedTemplateId', repOf(expected!, around)],
      ['actualTemplateId', repOf(actual!, around)],
    ],
  },
  CONTRACT_DOES_NOT_IMPLEMENT_INTERFACE: {
    tag: 'ContractDoesNotImplementInterface',
    resources: ['CONTRACT_ID', 'TEMPLATE_ID', 'INTERFACE_ID'],
    fields: ([id, template, interfaceId], _, around) => [
      ['contractId', contractIdAs(template!, id!, around)],
      ['templateId', repOf(template!, around)],
      ['interfaceId', repOf(interfaceId!, around)],
    ],
  },
  CONTRACT_DOES_NOT_IMPLEMENT_REQUIRING_INTERFACE: {
    tag: 'ContractDoesNotImplementRequiringInterface',
    resources: ['CONTRACT_ID', 'TEMPLATE_ID', 'INTERFACE_ID', 'INTERFACE_ID'],
    fields: ([id, template, required, requiring], _, around) => [
      ['contractId', contractIdAs(template!, id!, around)],
      ['templateId', repOf(template!, around)],
      ['requiredInterfaceId', repOf(required!, around)],
      ['requiringInterfaceId', repOf(requiring!, around)],
    ],
  },
  NON_COMPARABLE_VALUES: { tag: 'NonComparableValues' },
  CONTRACT_ID_IN_CONTRACT_KEY: { tag: 'ContractIdInContractKey' },
  CONTRACT_ID_COMPARABILITY: {
    tag: 'ContractIdComparability',
    resources: ['CONTRACT_ID'],
    fields: ([id]) => [['globalExistingContractId', id]],
  },
  /** The limit of the language, which the error does not name. */
  VALUE_NESTING: { tag: 'ValueNesting', fields: () => [['limit', 100]] },
  INTERPRETATION_UPGRADE_ERROR_VALIDATION_FAILED: {
    tag: 'UpgradeError',
    resources: [
      ...['CONTRACT_ID', 'TEMPLATE_ID', 'TEMPLATE_ID', 'PACKAGE_NAME', 'PACKAGE_NAME', 'PARTIES', 'PARTIES'],
      ...['NULLABLE_CONTRACT_KEY', 'NULLABLE_PACKAGE_NAME', 'NULLABLE_PARTIES', 'PARTIES', 'PARTIES'],
      ...['NULLABLE_CONTRACT_KEY', 'NULLABLE_PACKAGE_NAME', 'NULLABLE_PARTIES'],
    ],
    fields([id, source, target, sourceName, targetName, signatories, others, ...rest], error, around) {
      const originalOthers = partiesOf(others!, around)
      const recomputedSignatories = partiesOf(rest[3]!, around)
      const recomputedOthers = partiesOf(rest[4]!, around)
      const recomputedKey = keyWithMaintainers(target!, rest.slice(5), around)
      const fields: Fields = [
        ['coid', contractIdAs(source!, id!, around)],
        ['srcTemplateId', repOf(source!, around)],
        ['dstTemplateId', repOf(target!, around)],
        ['srcPackageName', sourceName],
        ['dstPackageName', targetName],
        ['originalSignatories', partiesOf(signatories!, around)],
        ['originalNonSignatoryStakeholders', originalOthers],
        ['originalKeyOpt', keyWithMaintainers(source!, rest.slice(0, 3), around)],
        ['recomputedSignatories', recomputedSignatories],
        ['recomputedNonSignatoryStakeholders', recomputedOthers],
        ['recomputedKeyOpt', recomputedKey],
        // As the library of Daml 3.4 and 3.5 names them, and that of 3.3.
        ['originalObservers', originalOthers],
        ['recomputedObservers', recomputedOthers],
        ['signatories', recomputedSignatories],
        ['observers', recomputedOthers],
        ['keyOpt', recomputedKey],
      ]
      return upgradeFields('ValidationFailed', fields, error, around)
    },
  },
  INTERPRETATION_UPGRADE_ERROR_TRANSLATION_FAILED: {
    tag: 'UpgradeError',
    resources: ['NULLABLE_CONTRACT_ID', 'TEMPLATE_ID', 'TEMPLATE_ID', 'CONTRACT_ARG'],
    fields([id, source, target, argument], error, around) {
      const known = present(id!)
      const fields: Fields = [
        ['mCoid', around.values.optional(known && contractIdAs(source!, known, around))],
        ['srcTemplateId', repOf(source!, around)],
        ['dstTemplateId', repOf(target!, around)],
        ['createArg', templateOf(identifierIn(source!), argument!, around)],
      ]
      return upgradeFields('TranslationFailed', fields, error, around)
    },
  },
  INTERPRETATION_UPGRADE_ERROR_AUTHENTICATION_FAILED: {
    tag: 'UpgradeError',
    resources: ['CONTRACT_ID', 'TEMPLATE_ID', 'TEMPLATE_ID', 'CONTRACT_ARG'],
    fields([id, source, target, argument], error, around) {
      const fields: Fields = [
        ['coid', contractIdAs(source!, id!, around)],
        ['srcTemplateId', repOf(source!, around)],
        ['dstTemplateId', repOf(target!, around)],
        ['createArg', templateOf(identifierIn(source!), argument!, around)],
      ]
      return upgradeFields('AuthenticationFailed', fields, error, around)
    },
  },
  DAML_FAILURE: { tag: 'FailureStatusError', fields: failureStatus },
  INTERPRETATION_CRYPTO_ERROR_MALFORMED_BYTE_ENCODING: cryptoRow('MalformedByteEncoding', 'value'),
  INTERPRETATION_CRYPTO_ERROR_MALFORMED_KEY: cryptoRow('MalformedKey', 'keyValue'),
  INTERPRETATION_CRYPTO_ERROR_MALFORMED_SIGNATURE: cryptoRow('MalformedSignature', 'signatureValue'),
  INTERPRETATION_EXTERNAL_CALL_ERROR_PREPARATION_FAILED: externalCallRow('PreparationFailed'),
  INTERPRETATION_EXTERNAL_CALL_ERROR_EXECUTION_FAILED: externalCallRow('ExecutionFailed'),
  INTERPRETATION_EXTERNAL_CALL_ERROR_INVALID_OUTPUT: externalCallRow('InvalidOutput'),
  INTERPRETATION_DEV_ERROR: {
    tag: 'DevError',
    resources: ['DEV_ERROR_TYPE'],
    fields: ([type], error, { values }) => [
      [
        'devErrorType',
        values.enumOf(
          values.ofLibrary(errorModule, 'DevErrorType'),
          type === 'ChoiceGuardFailed' ? 'ChoiceGuardFailed' : 'UnknownNewFeature',
        ),
      ],
      ['devErrorMessage', descriptionOf(error)],
    ],
  },
}

const rows: ReadonlyMap<string, readonly Row[]> = new Map(
  Object.entries(table).map(([code, row]) => [code, Array.isArray(row) ? row : [row as Row]]),
)
