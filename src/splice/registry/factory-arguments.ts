// The arguments of a choice of a factory. Splice decodes all of them by the types of the token standard before it answers, although
// it needs few, so what would be refused later is refused here.
import type { Json } from '../ledger/participant.ts'
import { badRequest } from '../serving/route.ts'

type Check = (value: unknown) => boolean

const isText: Check = (value) => typeof value === 'string'
const isDecimal: Check = (value) =>
  (typeof value === 'string' || typeof value === 'number') && /^[+-]?\d+(\.\d+)?$/.test(String(value))
const isTime: Check = (value) => typeof value === 'string' && !Number.isNaN(Date.parse(value))
const isObject: Check = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)
const isNone: Check = (value) => value === undefined || value === null

const listOf =
  (isElement: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(isElement)

const recordOf =
  (fields: Readonly<Record<string, Check>>): Check =>
  (value) =>
    isObject(value) && Object.entries(fields).every(([name, isField]) => isField((value as Json)[name]))

const isTextMap: Check = (value) => isObject(value) && Object.values(value as object).every(isText)
const isMetadata = recordOf({ values: isTextMap })
const isExtraArgs = recordOf({ context: recordOf({ values: isObject }), meta: isMetadata })
const isOptionalText: Check = (value) => isNone(value) || isText(value)
const isAccount = recordOf({ owner: isOptionalText, provider: isOptionalText, id: isText })

const isTransferBetween = (isHolder: Check): Check =>
  recordOf({
    sender: isHolder,
    receiver: isHolder,
    amount: isDecimal,
    instrumentId: recordOf({ admin: isText, id: isText }),
    requestedAt: isTime,
    executeBefore: isTime,
    inputHoldingCids: listOf(isText),
    meta: isMetadata,
  })

const transferArguments = {
  v1: recordOf({ expectedAdmin: isText, transfer: isTransferBetween(isText), extraArgs: isExtraArgs }),
  v2: recordOf({ transfer: isTransferBetween(isAccount), actors: listOf(isText), extraArgs: isExtraArgs }),
} as const

export type StandardVersion = keyof typeof transferArguments

/** The transfer that a factory is asked for. */
export function transferIn(version: StandardVersion, { choiceArguments }: Json): Json {
  if (transferArguments[version](choiceArguments)) return choiceArguments.transfer
  throw badRequest('Field `choiceArguments` does not contain a valid `TransferFactory_Transfer`')
}
