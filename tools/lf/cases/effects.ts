// Programs for test/lf/effects.lf, written as values of its types.
import {
  type Case,
  contractId,
  enumeration,
  id,
  int64,
  list,
  none,
  party,
  record,
  some,
  text,
  timestamp,
  unit,
  type Value,
  variant,
} from './case.ts'

export type Fault = 'Fine' | 'Lies' | 'Throws' | 'Errors'
type Faults = { precondition?: Fault; signatories?: Fault; observers?: Fault; view?: Fault }

export const parties = (...names: string[]) => list(...names.map(party))

type Target = {
  signatories: string[]
  observers?: string[]
  faults?: Faults
  note?: string
  first?: string
  second?: string
}
export const target = ({ signatories, observers = [], faults = {}, note = '', first, second }: Target): Value =>
  record(
    parties(...signatories),
    parties(...observers),
    record(
      ...(['precondition', 'signatories', 'observers', 'view'] as const).map((part) =>
        enumeration(faults[part] ?? 'Fine'),
      ),
    ),
    text(note),
    first === undefined ? none : some(text(first)),
    second === undefined ? none : some(text(second)),
  )

type Do = {
  controllers: string[]
  observers?: string[]
  controllersFault?: Fault
  observersFault?: Fault
  program?: Value[]
}
export const doing = ({
  controllers,
  observers = [],
  controllersFault = 'Fine',
  observersFault = 'Fine',
  program = [],
}: Do): Value =>
  record(
    parties(...controllers),
    parties(...observers),
    enumeration(controllersFault),
    enumeration(observersFault),
    list(...program),
  )

export const given = (number: number): Value => variant('Given', contractId(id(number)))
export const made = (index: number): Value => variant('Made', int64(index))

const exercise = (action: string) => (ref: Value, argument: Do) => variant(action, record(ref, doing(argument)))
export const create = (fields: Target) => variant('Create', target(fields))
export const createByInterface = (fields: Target) => variant('CreateByInterface', target(fields))
export const fetch = (ref: Value) => variant('Fetch', ref)
export const fetchByInterface = (ref: Value) => variant('FetchByInterface', ref)
export const fetchByOtherInterface = (ref: Value) => variant('FetchByOtherInterface', ref)
export const consume = exercise('Consume')
export const keep = exercise('Keep')
export const consumeByInterface = exercise('ConsumeByInterface')
export const keepByInterface = exercise('KeepByInterface')
export const keepByOtherInterface = exercise('KeepByOtherInterface')
export const archive = (ref: Value) => variant('Archive', ref)
export const fetchOther = (number: number) => variant('FetchOther', contractId(id(number)))
export const archiveOther = (number: number) => variant('ArchiveOther', contractId(id(number)))
export const attempt = (body: Value[], handler: Value) => variant('Try', record(list(...body), handler))
export const handle = (...program: Value[]) => variant('Handle', list(...program))
export const handleOops = (...program: Value[]) => variant('HandleOops', list(...program))
export const rethrow = variant('Rethrow', unit)
export const handlerThrows = (message: string) => variant('HandlerThrows', text(message))
export const handlerErrors = (message: string) => variant('HandlerErrors', text(message))
export const raise = (message: string) => variant('Throw', text(message))
export const raiseSpeechless = (message: string) => variant('ThrowSpeechless', text(message))
export const divide = (by: number) => variant('Divide', int64(by))
export const error = (message: string) => variant('Error', text(message))
export const fail = (errorId: string) => variant('Fail', text(errorId))
export const getTime = variant('GetTime', unit)
export const before = (microseconds: bigint) => variant('Before', timestamp(microseconds))
export const embed = (...program: Value[]) => variant('Embed', list(...program))
export const equalIds = (one: Value, two: Value) => variant('EqualIds', record(one, two))
export const idToText = (ref: Value) => variant('IdToText', ref)
export const createWithCodePoints = (...points: number[]) => variant('CreateWithCodePoints', list(...points.map(int64)))
export const createNested = (depth: number) => variant('ReturnNested', int64(depth))

/** A contract on the ledger, with the metadata its argument implies. */
export const contract = (number: number, fields: Target, differing: Case = {}, lf = 21): Case => ({
  id: id(number),
  template: `#effects-lf${lf}:Effects:Target`,
  argument: normalised(target(fields)),
  signatories: fields.signatories,
  observers: fields.observers ?? [],
  ...differing,
})
export const other = (number: number, owner: string): Case => ({
  id: id(number),
  template: '#effects-lf21:Effects:Other',
  argument: record(party(owner)),
  signatories: [owner],
  observers: [],
})

/** One or more parties exercise a choice that runs the program with their authority. */
export const program = (
  name: string,
  actAs: string[],
  actions: Value[],
  rest: { contracts?: Case[]; lf?: number; [key: string]: unknown } = {},
): Case => {
  const { contracts = [], lf = 21, ...settings } = rest
  const actor = {
    id: id(1),
    template: `#effects-lf${lf}:Effects:Actor`,
    argument: record(parties(...actAs)),
    signatories: actAs,
    observers: [],
  }
  return {
    name,
    actAs,
    commands: [
      {
        exercise: `#effects-lf${lf}:Effects:Actor`,
        contractId: id(1),
        choice: 'Actor_Run',
        argument: record(list(...actions)),
      },
    ],
    contracts: [actor, ...contracts],
    ...settings,
  }
}

/** As stored: without the fields at the end that are None. */
const normalised = (value: Value): Value => {
  const fields = [...(value.record as Value[])]
  while (fields.length > 0 && fields.at(-1)?.none) fields.pop()
  return record(...fields)
}
