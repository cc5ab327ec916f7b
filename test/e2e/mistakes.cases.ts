// Common mistakes of developers, each with the request that makes it, the code of the refusal and the hint of a
// development node. A rule about hints is tested by a row here.
import { quickstartBytes, rebuiltQuickstart } from '../fixtures/rebuilt-dar.ts'
import { archiveOf, darOf } from '../support/lf/package-writer.ts'
import { bytes, text } from '../support/lf/proto-writer.ts'

const iou = '#quickstart:Iou:Iou'
const holding = '#quickstart:Holding:Holding'
const everything = '#effects-lf21:Effects:Everything'

/** A ledger with parties, users, a contract and an archived one, on which each mistake is made. */
export type Stage = {
  readonly alice: string
  readonly bob: string
  /** Parties whose ids begin with `ali`, of which the user `app` has no right. */
  readonly alicia: string
  readonly quickstart: string
  /** Of alice: active, archived, and the update and offset of its creation. */
  readonly contractId: string
  readonly archivedId: string
  readonly createdAt: number
  readonly archivedAt: number
  /** Of the user `app`, which acts as alice; of `bobby`, which acts as bob; of an administrator. */
  readonly tokens: { readonly app: string; readonly bobby: string; readonly admin: string }
  /** Of the user `app`, but refused. */
  readonly badTokens: {
    readonly expired: string
    readonly otherAudience: string
    readonly otherSecret: string
    readonly unknownUser: string
  }
  readonly end: number
}

export type Request = {
  readonly method?: string
  readonly path: string
  /** JSON, or text and bytes as they are. */
  readonly body?: unknown
  /** That of `app` by default; null sends none. */
  readonly token?: string | null
  readonly headers?: Readonly<Record<string, string>>
}

export type Mistake = {
  readonly mistake: string
  readonly request: (stage: Stage) => Request
  /** The code; of an answer without one, its status. */
  readonly code: string | number
  readonly hint: string | ((stage: Stage) => string)
}

// ── Requests

const submission = '/v2/commands/submit-and-wait'
const payload = ({ alice }: Stage) => ({ issuer: alice, owner: alice, amount: '1', currency: 'EUR', observers: [] })
const submit = (stage: Stage, command: unknown, more: object = {}): Request => ({
  path: submission,
  body: { commandId: 'mistake', actAs: [stage.alice], commands: [command], ...more },
})
const create = (createArguments: unknown, templateId = iou) => ({ CreateCommand: { templateId, createArguments } })
const createWith = (fields: object) => (stage: Stage) => submit(stage, create({ ...payload(stage), ...fields }))
const createAs = (templateId: string) => (stage: Stage) => submit(stage, create(payload(stage), templateId))
const createBy = (more: object | ((stage: Stage) => object)) => (stage: Stage) =>
  submit(stage, create(payload(stage)), typeof more === 'function' ? more(stage) : more)
const exercise = (contractId: string, choice = 'Archive', choiceArgument: unknown = {}, templateId = iou) => ({
  ExerciseCommand: { templateId, contractId, choice, choiceArgument },
})
const everyType = ({ alice }: Stage) => ({
  ...{ party: alice, unit: {}, bool: true, int: '1', numeric: '1.0', text: '', date: '2030-01-31' },
  ...{ timestamp: '2030-01-31T12:00:00Z', optional: '1', optional2: [], list: [], textMap: {}, genMap: [] },
  ...{ fault: 'Fine', ref: { tag: 'Made', value: '0' }, maybe: null, last: null },
  faults: { precondition: 'Fine', signatories: 'Fine', observers: 'Fine' },
})
const everyTypeWith = (fields: object) => (stage: Stage) =>
  submit(stage, create({ ...everyType(stage), ...fields }, everything))

const readOf = (stage: Stage, identifierFilter: object, more: object = {}): Request => ({
  path: '/v2/state/active-contracts',
  body: {
    activeAtOffset: stage.end,
    eventFormat: { filtersByParty: { [stage.alice]: { cumulative: [{ identifierFilter }] } }, verbose: false },
    ...more,
  },
})
const templateFilter = (templateId: string) => ({ TemplateFilter: { value: { templateId } } })
const transactions = ({ alice }: Stage, transactionShape = 'TRANSACTION_SHAPE_ACS_DELTA') => ({
  includeTransactions: { eventFormat: { filtersByParty: { [alice]: {} }, verbose: false }, transactionShape },
})
const admin =
  (path: string, body: unknown) =>
  ({ tokens }: Stage) => ({ path, body, token: tokens.admin })
const plainly = (request: Request) => () => request

const lf1Dar = darOf({ a: archiveOf(Buffer.concat([text(3, '17'), bytes(2, Buffer.alloc(0))])) })
const byWholeId = 'a party is named by its whole id'
const makeToken = 'make a token with tallystick token, or from its secret (docs/tokens.md)'
const otherLedger = 'is it of another ledger, or from before a reset?'
const commands = '`CreateAndExerciseCommand`, `CreateCommand`, `ExerciseByKeyCommand`, `ExerciseCommand`'

export const mistakes: readonly Mistake[] = [
  // ── Templates, interfaces, choices
  {
    mistake: 'a template id without its package',
    request: createAs('Iou:Iou'),
    code: 400,
    hint: 'did you mean `#quickstart:Iou:Iou`?',
  },
  {
    mistake: 'a template id as a dotted name',
    request: createAs('Iou.Iou'),
    code: 400,
    hint: 'did you mean `#quickstart:Iou:Iou`?',
  },
  {
    mistake: 'a template id as Daml 2 writes it',
    request: (stage) => createAs(`Iou:Iou@${stage.quickstart}`)(stage),
    code: 400,
    hint: 'did you mean `#quickstart:Iou:Iou`?',
  },
  {
    mistake: 'a template id that nobody could mean',
    request: createAs('x'),
    code: 400,
    hint: 'commands[0].CreateCommand.templateId: name a template or interface as #package-name:Module:Entity',
  },
  {
    mistake: 'a package name without #',
    request: createAs('quickstart:Iou:Iou'),
    code: 'TEMPLATES_OR_INTERFACES_NOT_FOUND',
    hint: 'did you mean `#quickstart:Iou:Iou`?',
  },
  {
    mistake: 'a template in the wrong module',
    request: createAs('#quickstart:Main:Iou'),
    code: 'TEMPLATES_OR_INTERFACES_NOT_FOUND',
    hint: 'did you mean `#quickstart:Iou:Iou`?',
  },
  {
    mistake: 'a misspelt template',
    request: createAs('#quickstart:Iou:IuoProposal'),
    code: 'TEMPLATES_OR_INTERFACES_NOT_FOUND',
    hint: 'did you mean `#quickstart:Iou:IouProposal`?',
  },
  {
    mistake: 'a misspelt package',
    request: createAs('#quickstrat:Iou:Iou'),
    code: 'PACKAGE_NAMES_NOT_FOUND',
    hint: 'did you mean `#quickstart`?',
  },
  {
    mistake: 'the hash of a version that is not here',
    request: createAs(`${'ab'.repeat(32)}:Iou:Iou`),
    code: 'TEMPLATES_OR_INTERFACES_NOT_FOUND',
    hint: 'did you mean `#quickstart:Iou:Iou`?',
  },
  {
    mistake: 'creating an interface',
    request: createAs(holding),
    code: 'TEMPLATES_OR_INTERFACES_NOT_FOUND',
    hint: '`#quickstart:Holding:Holding` is an interface, and only templates can be created; these implement it: `#quickstart:Iou:Iou`',
  },
  {
    mistake: 'a misspelt choice',
    request: (stage) => submit(stage, exercise(stage.contractId, 'Iou_Spilt')),
    code: 'INVALID_ARGUMENT',
    hint: 'did you mean `Iou_Split`? the choices are Archive, Iou_Merge, Iou_Offer, Iou_Show, Iou_Split',
  },
  {
    mistake: 'a choice without the prefix of its template',
    request: (stage) => submit(stage, exercise(stage.contractId, 'Split')),
    code: 'INVALID_ARGUMENT',
    hint: 'did you mean `Iou_Split`? the choices are Archive, Iou_Merge, Iou_Offer, Iou_Show, Iou_Split',
  },
  {
    mistake: 'a choice of the interface with the id of the template',
    request: (stage) => submit(stage, exercise(stage.contractId, 'Holding_Redeem')),
    code: 'INVALID_ARGUMENT',
    hint: '`Holding_Redeem` is a choice of `#quickstart:Holding:Holding`: write that as the templateId',
  },
  {
    mistake: 'a choice of the template with the id of the interface',
    request: (stage) => submit(stage, exercise(stage.contractId, 'Iou_Split', { amount: '0.5' }, holding)),
    code: 'INVALID_ARGUMENT',
    hint: '`Iou_Split` is a choice of `#quickstart:Iou:Iou`: write that as the templateId',
  },
  {
    mistake: 'a contract of another template',
    request: (stage) =>
      submit(stage, exercise(stage.contractId, 'IouProposal_Accept', {}, '#quickstart:Iou:IouProposal')),
    code: 'WRONGLY_TYPED_CONTRACT',
    hint: 'the contract is of Iou:Iou: write that template as the templateId',
  },
  {
    mistake: 'a key of a template without one',
    request: (stage) =>
      submit(stage, {
        ExerciseByKeyCommand: { templateId: iou, contractKey: {}, choice: 'Archive', choiceArgument: {} },
      }),
    code: 'TEMPLATES_OR_INTERFACES_NOT_FOUND',
    hint: 'contracts of this template have no key; name the contract with ExerciseCommand',
  },

  // ── Contracts
  {
    mistake: 'an archived contract',
    request: (stage) => submit(stage, exercise(stage.archivedId)),
    code: 'CONTRACT_NOT_FOUND',
    hint: ({ archivedAt }) =>
      `this contract of ${iou}, created at offset ${archivedAt - 1}, was archived at offset ${archivedAt}`,
  },
  {
    mistake: 'a contract of another ledger',
    request: (stage) => submit(stage, exercise(`00${'ab'.repeat(32)}ca101220${'cd'.repeat(32)}`)),
    code: 'CONTRACT_NOT_FOUND',
    hint: `no contract with this id that actAs and readAs can see: ${otherLedger} Its owner can disclose it (disclosedContracts)`,
  },
  {
    mistake: 'a contract of others, without readAs or disclosure',
    request: (stage) => ({
      ...submit(stage, exercise(stage.contractId), { actAs: [stage.bob] }),
      token: stage.tokens.bobby,
    }),
    code: 'CONTRACT_NOT_FOUND',
    hint: `no contract with this id that actAs and readAs can see: ${otherLedger} Its owner can disclose it (disclosedContracts)`,
  },
  {
    mistake: 'a contract id that is cut off',
    request: (stage) => submit(stage, exercise(stage.contractId.slice(0, 40))),
    code: 'INVALID_FIELD',
    hint: 'contract ids of this ledger have 138 digits, this one has 40: is it cut off?',
  },
  {
    mistake: 'a contract id that is cut off within its suffix',
    request: (stage) => submit(stage, exercise(stage.contractId.slice(0, 90))),
    code: 'CONTRACT_NOT_FOUND',
    hint: 'contract ids of this ledger have 138 digits, this one has 90: is it cut off?',
  },
  {
    mistake: 'a contract id as a table shows it',
    request: (stage) => submit(stage, exercise(`${stage.contractId.slice(0, 10)}…`)),
    code: 'INVALID_FIELD',
    hint: 'this contract id was cut off to be shown; take the whole one',
  },
  {
    mistake: 'a contract id with 0x',
    request: (stage) => submit(stage, exercise(`0x${stage.contractId}`)),
    code: 'INVALID_FIELD',
    hint: 'write the contract id without 0x',
  },
  {
    mistake: 'a contract id of the sandbox of Daml 1',
    request: (stage) => submit(stage, exercise('#1:0')),
    code: 'INVALID_FIELD',
    hint: 'this is a contract id of an old sandbox; read the active contracts again',
  },
  {
    mistake: 'a disclosed contract that is cut off',
    request: createBy(({ contractId }) => ({
      disclosedContracts: [{ contractId, createdEventBlob: 'CgMyLjESAQ==', synchronizerId: '' }],
    })),
    code: 'INVALID_ARGUMENT',
    hint: 'the createdEventBlob is cut off or changed: pass it on whole, as the owner read it',
  },
  {
    mistake: 'a disclosed contract that was read without its blob',
    request: createBy(({ contractId }) => ({
      disclosedContracts: [{ contractId, createdEventBlob: '', synchronizerId: '' }],
    })),
    code: 'MISSING_FIELD',
    hint: 'read the contract with "includeCreatedEventBlob": true in its filter, and pass on its createdEventBlob',
  },

  // ── Values
  {
    mistake: 'a misspelt field',
    request: (stage) => {
      const { owner, ...rest } = payload(stage)
      return submit(stage, create({ ...rest, ownr: owner }))
    },
    code: 'COMMAND_PREPROCESSING_FAILED',
    hint: 'createArguments: `ownr`: did you mean `owner`?',
  },
  {
    mistake: 'a field that does not exist',
    request: createWith({ ownr: 'x' }),
    code: 'INVALID_ARGUMENT',
    hint: 'createArguments: `ownr`: did you mean `owner`?',
  },
  {
    mistake: 'a missing field',
    request: (stage) => {
      const { owner: _, ...rest } = payload(stage)
      return submit(stage, create(rest))
    },
    code: 'COMMAND_PREPROCESSING_FAILED',
    hint: 'createArguments: `owner` must be there',
  },
  {
    mistake: 'a field in snake_case',
    request: (stage) => {
      const { textMap, ...rest } = everyType(stage)
      return submit(stage, create({ ...rest, text_map: textMap }, everything))
    },
    code: 'COMMAND_PREPROCESSING_FAILED',
    hint: 'createArguments: `text_map`: did you mean `textMap`?',
  },
  {
    mistake: 'arguments as a list',
    request: (stage) => submit(stage, create([stage.alice])),
    code: 'INVALID_ARGUMENT',
    hint: 'createArguments: write an object: {"field": ...}',
  },
  {
    mistake: 'an Int64 as a number',
    request: everyTypeWith({ int: 42 }),
    code: 'INVALID_ARGUMENT',
    hint: 'createArguments.int: write it as a string: "42"',
  },
  {
    mistake: 'an Int64 with separators',
    request: everyTypeWith({ int: '1,000' }),
    code: 'INVALID_ARGUMENT',
    hint: 'createArguments.int: write digits only: "1000"',
  },
  {
    mistake: 'a large Numeric as a number',
    request: createWith({ amount: 10_000_000 }),
    code: 'INVALID_ARGUMENT',
    hint: 'createArguments.amount: write the Numeric as a string: "10000000"',
  },
  {
    mistake: 'a Numeric with separators',
    request: createWith({ amount: '1,000.50' }),
    code: 'INVALID_ARGUMENT',
    hint: 'createArguments.amount: write digits and a point only: "1000.50"',
  },
  {
    mistake: 'a Numeric with too many decimals',
    request: createWith({ amount: '1.12345678901' }),
    code: 'COMMAND_PREPROCESSING_FAILED',
    hint: 'createArguments.amount: a Numeric 10 has up to 28 digits before the point and 10 after it',
  },
  {
    mistake: 'a date in another form',
    request: everyTypeWith({ date: '31.01.2030' }),
    code: 'INVALID_ARGUMENT',
    hint: 'createArguments.date: write a date as "2030-01-31"',
  },
  {
    mistake: 'a time without its zone',
    request: everyTypeWith({ timestamp: '2030-01-31T12:00:00' }),
    code: 'INVALID_ARGUMENT',
    hint: 'createArguments.timestamp: write a time in UTC as "2030-01-31T12:00:00Z"',
  },
  {
    mistake: 'a time in milliseconds',
    request: everyTypeWith({ timestamp: 1_900_000_000_000 }),
    code: 'INVALID_ARGUMENT',
    hint: 'createArguments.timestamp: write a time in UTC as "2030-01-31T12:00:00Z"',
  },
  {
    mistake: 'a Bool as a text',
    request: everyTypeWith({ bool: 'true' }),
    code: 'INVALID_ARGUMENT',
    hint: 'createArguments.bool: write true without quotes',
  },
  {
    mistake: 'an Optional as a variant',
    request: everyTypeWith({ optional: { tag: 'Some', value: '1' } }),
    code: 'INVALID_ARGUMENT',
    hint: 'createArguments.optional: write Some as the value itself, and None as null',
  },
  {
    mistake: 'null for an Optional in an Optional',
    request: everyTypeWith({ optional2: null }),
    code: 'INVALID_ARGUMENT',
    hint: 'createArguments.optional2: write None of an Optional in an Optional as []',
  },
  {
    mistake: 'a misspelt constructor of an enum',
    request: everyTypeWith({ fault: 'Throw' }),
    code: 'INVALID_ARGUMENT',
    hint: 'createArguments.fault: did you mean `Throws`? it is one of `Fine`, `Lies`, `Throws`, `Errors`',
  },
  {
    mistake: 'a misspelt constructor of a variant',
    request: everyTypeWith({ ref: { tag: 'made', value: '0' } }),
    code: 'INVALID_ARGUMENT',
    hint: 'createArguments.ref: did you mean `Made`? it is one of `Given`, `Made`',
  },
  {
    mistake: 'a variant without tag and value',
    request: everyTypeWith({ ref: { Made: '0' } }),
    code: 'INVALID_ARGUMENT',
    hint: 'createArguments.ref: write {"tag": "Made", "value": ...}, with {} as the value of a constructor without one',
  },
  {
    mistake: 'one value instead of a list',
    request: (stage) => createWith({ observers: stage.bob })(stage),
    code: 'INVALID_ARGUMENT',
    hint: 'createArguments.observers: write a list, as in ["..."]',
  },
  {
    mistake: 'a map as an object where its keys are no texts',
    request: everyTypeWith({ genMap: { 1: 'one' } }),
    code: 'INVALID_ARGUMENT',
    hint: 'createArguments.genMap: write a map as a list of pairs, as in [["key", "value"]]',
  },

  // ── Parties
  {
    mistake: 'a party by its hint',
    request: createBy({ actAs: ['alice'] }),
    code: 'NA',
    hint: ({ alice }) => `did you mean \`${alice}\`? ${byWholeId}`,
  },
  {
    mistake: 'a party by the beginning of its hint, as an administrator',
    request: (stage) => ({ ...createBy({ actAs: ['ali'] })(stage), token: stage.tokens.admin }),
    code: 'NA',
    hint: ({ alice, alicia }) => `did you mean \`${alice}\`, \`${alicia}\`? ${byWholeId}`,
  },
  {
    mistake: 'a party by the beginning of a hint that only administrators may know',
    request: createBy({ actAs: ['alicia'] }),
    code: 'NA',
    hint: ({ alice }) => `did you mean \`${alice}\`? ${byWholeId}`,
  },
  {
    mistake: 'a party with a mistake in its fingerprint',
    request: createBy(({ alice }) => ({ actAs: [`${alice.slice(0, -2)}${alice.endsWith('00') ? '11' : '00'}`] })),
    code: 'NA',
    hint: ({ alice }) => `did you mean \`${alice}\`? ${byWholeId}`,
  },
  {
    mistake: 'a party that nobody allocated, as an administrator',
    request: (stage) => ({ ...createBy({ actAs: ['zebra'] })(stage), token: stage.tokens.admin }),
    code: 'NA',
    hint: `${byWholeId}, as in alice::1220...; none here begins so, and POST /v2/parties allocates one`,
  },
  {
    mistake: 'a party that the user has no right for',
    request: createBy(({ bob }) => ({ actAs: [bob] })),
    code: 'NA',
    hint: 'an administrator grants the right with POST /v2/users/app/rights; tallystick token --party PARTY makes a token that has it',
  },
  {
    mistake: 'the display name of a party in a contract',
    request: createWith({ owner: 'Alice' }),
    code: 'DAML_AUTHORIZATION_ERROR',
    hint: ({ alice }) => `did you mean \`${alice}\`? ${byWholeId}`,
  },
  {
    mistake: 'a party of another participant',
    request: createWith({ observers: [`carol::1220${'ab'.repeat(32)}`] }),
    code: 'UNKNOWN_INFORMEES',
    hint: 'a party of the transaction is not known here: check its id, or allocate it with POST /v2/parties',
  },
  {
    mistake: 'a signatory that does not act',
    request: (stage) => createWith({ owner: stage.bob })(stage),
    code: 'DAML_AUTHORIZATION_ERROR',
    hint: ({ bob }) => `add \`${bob}\` to actAs, or let them authorize by a choice that they exercise`,
  },
  {
    mistake: 'a whole id as the hint of a new party',
    request: (stage) => admin('/v2/parties', { partyIdHint: stage.alice })(stage),
    code: 'INVALID_ARGUMENT',
    hint: 'a partyIdHint is only the first part of an id; the node adds ::fingerprint',
  },
  {
    mistake: 'a party that exists',
    request: admin('/v2/parties', { partyIdHint: 'alice' }),
    code: 'INVALID_ARGUMENT',
    hint: 'use it: GET /v2/parties lists the ids; or choose another partyIdHint',
  },
  {
    mistake: 'a party with signs that no party has',
    request: admin('/v2/parties', { partyIdHint: 'Alice & Co' }),
    code: 'INVALID_ARGUMENT',
    hint: 'a party has letters, digits, and - _ : and spaces',
  },

  // ── The body
  {
    mistake: 'a misspelt command',
    request: (stage) => submit(stage, { CreateComand: { templateId: iou, createArguments: payload(stage) } }),
    code: 400,
    hint: `commands[0]: did you mean \`CreateCommand\`? it is one of ${commands}`,
  },
  {
    mistake: 'a command as gRPC writes it',
    request: (stage) => submit(stage, { create: { template_id: iou, create_arguments: payload(stage) } }),
    code: 400,
    hint: `commands[0]: did you mean \`CreateCommand\`? it is one of ${commands}`,
  },
  {
    mistake: 'a command without its kind',
    request: (stage) => submit(stage, { templateId: iou, payload: payload(stage) }),
    code: 400,
    hint: `commands[0]: it is one of ${commands}, as in {"CreateAndExerciseCommand": {...}}`,
  },
  {
    mistake: 'the payload of Daml 2',
    request: (stage) => submit(stage, { CreateCommand: { templateId: iou, payload: payload(stage) } }),
    code: 400,
    hint: 'commands[0].CreateCommand: `payload`: did you mean `createArguments`?',
  },
  {
    mistake: 'fields in snake_case',
    request: createBy(({ alice }) => ({ actAs: undefined, act_as: [alice] })),
    code: 400,
    hint: '`act_as`: did you mean `actAs`?',
  },
  {
    mistake: 'actAs without a list',
    request: createBy(({ alice }) => ({ actAs: alice })),
    code: 400,
    hint: 'actAs: write a list: ["..."]',
  },
  {
    mistake: 'an empty actAs',
    request: createBy({ actAs: [] }),
    code: 'MISSING_FIELD',
    hint: 'name the parties that act: "actAs": ["PARTY"]',
  },
  {
    mistake: 'no command id',
    request: createBy({ commandId: undefined }),
    code: 400,
    hint: '`commandId` is missing',
  },
  {
    mistake: 'an empty command id',
    request: createBy({ commandId: '' }),
    code: 'MISSING_FIELD',
    hint: 'a commandId is any new text, such as a UUID',
  },
  {
    mistake: 'a submission without commands',
    request: createBy({ commands: [] }),
    code: 'MISSING_FIELD',
    hint: 'a submission has at least one command: "commands": [{"CreateCommand": {...}}]',
  },
  {
    mistake: 'commands inside of commands, where they are at the top',
    request: (stage) => ({ path: submission, body: { commands: submit(stage, create(payload(stage))).body } }),
    code: 400,
    hint: 'commands: this operation takes its fields at the top: leave out the outer `commands`',
  },
  {
    mistake: 'commands at the top, where they are inside of commands',
    request: (stage) => ({ ...submit(stage, create(payload(stage))), path: `${submission}-for-transaction` }),
    code: 400,
    hint: '`commandId` belongs into `commands`: {"commands": {"commandId": ...}}',
  },
  {
    mistake: 'one command instead of a list',
    request: createBy((stage) => ({ commands: create(payload(stage)) })),
    code: 400,
    hint: 'commands: write a list: [...]',
  },
  {
    mistake: 'a number as the command id',
    request: createBy({ commandId: 42 }),
    code: 400,
    hint: 'commandId: write a text: "42"',
  },
  {
    mistake: 'a date where the API takes a time',
    request: createBy({ minLedgerTimeAbs: '2030-01-31' }),
    code: 400,
    hint: 'minLedgerTimeAbs: write a time as "2030-01-31T12:00:00Z"',
  },
  {
    mistake: 'a body with single quotes',
    request: plainly({ path: submission, body: `{"commandId": "x",\n  "actAs": ['alice']}` }),
    code: 400,
    hint: 'not JSON at line 2, column 13: texts and names have double quotes (")',
  },
  {
    mistake: 'a comma too many',
    request: plainly({ path: submission, body: '{"commandId": "x", "actAs": ["alice",]}' }),
    code: 400,
    hint: 'not JSON at line 1, column 38: there is a comma before ]',
  },
  {
    mistake: 'a body that ends too early',
    request: plainly({ path: submission, body: '{"commandId":' }),
    code: 400,
    hint: 'not JSON at line 1, column 14: the text ends too early',
  },
  {
    mistake: 'no body',
    request: plainly({ path: submission, body: '' }),
    code: 400,
    hint: 'this operation takes a JSON body; {} is the smallest',
  },
  {
    mistake: 'a form instead of JSON',
    request: ({ tokens }) => ({
      path: '/v2/parties',
      body: 'partyIdHint=carol',
      token: tokens.admin,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    }),
    code: 400,
    hint: 'this is a form; send JSON, as in {"partyIdHint": ...}',
  },
  {
    mistake: 'a right without its kind',
    request: (stage) =>
      admin('/v2/users', { user: { id: 'new' }, rights: [{ CanActAs: { value: { party: stage.alice } } }] })(stage),
    code: 'INVALID_ARGUMENT',
    hint: 'rights[0]: `CanActAs` belongs into `kind`: {"kind": {"CanActAs": ...}}',
  },
  {
    mistake: 'a right without its value',
    request: (stage) =>
      admin('/v2/users', { user: { id: 'new' }, rights: [{ kind: { CanActAs: { party: stage.alice } } }] })(stage),
    code: 400,
    hint: 'rights[0].kind.CanActAs: `party` belongs into `value`: {"value": {"party": ...}}',
  },

  // ── Reading
  {
    mistake: 'an interface in a TemplateFilter',
    request: (stage) => readOf(stage, templateFilter(holding)),
    code: 'NO_TEMPLATES_FOR_PACKAGE_NAME_AND_QUALIFIED_NAME',
    hint: '`#quickstart:Holding:Holding` is an interface: write InterfaceFilter with interfaceId',
  },
  {
    mistake: 'a template in an InterfaceFilter',
    request: (stage) => readOf(stage, { InterfaceFilter: { value: { interfaceId: iou } } }),
    code: 'NO_INTERFACE_FOR_PACKAGE_NAME_AND_QUALIFIED_NAME',
    hint: '`#quickstart:Iou:Iou` is a template: write TemplateFilter with templateId',
  },
  {
    mistake: 'a filter with a package id',
    request: (stage) => readOf(stage, templateFilter(`${stage.quickstart}:Iou:Iou`)),
    code: 'INVALID_FIELD',
    hint: 'did you mean `#quickstart:Iou:Iou`?',
  },
  {
    mistake: 'a filter without its value',
    request: (stage) => readOf(stage, { TemplateFilter: { templateId: iou } }),
    code: 400,
    hint: ({ alice }) =>
      `eventFormat.filtersByParty.${alice.slice(0, 20)}....cumulative[0].identifierFilter.TemplateFilter: \`templateId\` belongs into \`value\`: {"value": {"templateId": ...}}`,
  },
  {
    mistake: 'no eventFormat',
    request: ({ end }) => ({ path: '/v2/state/active-contracts', body: { activeAtOffset: end } }),
    code: 'INVALID_ARGUMENT',
    hint: 'say what to read: "eventFormat": {"filtersByParty": {"PARTY": {}}, "verbose": false}',
  },
  {
    mistake: 'no updateFormat',
    request: plainly({ path: '/v2/updates', body: { beginExclusive: 0 } }),
    code: 'INVALID_ARGUMENT',
    hint: 'say what to read: "updateFormat": {"includeTransactions": {"eventFormat": {"filtersByParty": {"PARTY": {}}, "verbose": false}, "transactionShape": "TRANSACTION_SHAPE_ACS_DELTA"}}',
  },
  {
    mistake: 'a shape without its prefix',
    request: (stage) => ({
      path: '/v2/updates',
      body: { beginExclusive: 0, updateFormat: transactions(stage, 'ACS_DELTA') },
    }),
    code: 400,
    hint: 'updateFormat.includeTransactions.transactionShape: did you mean `TRANSACTION_SHAPE_ACS_DELTA`? it is one of `TRANSACTION_SHAPE_UNSPECIFIED`, `TRANSACTION_SHAPE_ACS_DELTA`, `TRANSACTION_SHAPE_LEDGER_EFFECTS`',
  },
  {
    mistake: 'a word as an offset',
    request: (stage) => readOf(stage, templateFilter(iou), { activeAtOffset: 'latest' }),
    code: 400,
    hint: 'activeAtOffset: write a whole number, such as 42; GET /v2/state/ledger-end tells the offset of the end',
  },
  {
    mistake: 'a flag as a text',
    request: ({ alice, end }) => ({
      path: '/v2/state/active-contracts',
      body: { activeAtOffset: end, eventFormat: { filtersByParty: { [alice]: {} }, verbose: 'false' } },
    }),
    code: 400,
    hint: 'eventFormat.verbose: write true or false, without quotes',
  },
  {
    mistake: 'an offset that was pruned',
    request: (stage) => ({ path: '/v2/updates', body: { beginExclusive: 0, updateFormat: transactions(stage) } }),
    code: 'PARTICIPANT_PRUNED_DATA_ACCESSED',
    hint: 'begin after the offset of GET /v2/state/latest-pruned-offsets; what was before it is gone',
  },
  {
    mistake: 'an offset beyond the end',
    request: (stage) => readOf(stage, templateFilter(iou), { activeAtOffset: 1_000_000 }),
    code: 'OFFSET_AFTER_LEDGER_END',
    hint: 'GET /v2/state/ledger-end tells the end of this ledger; offsets of another one, or from before a reset, are not valid here',
  },
  {
    mistake: 'a party of others',
    request: ({ bob, end }) => ({
      path: '/v2/state/active-contracts',
      body: { activeAtOffset: end, eventFormat: { filtersByParty: { [bob]: {} } } },
    }),
    code: 'NA',
    hint: 'an administrator grants the right with POST /v2/users/app/rights; tallystick token --party PARTY makes a token that has it',
  },
  {
    mistake: 'all parties without the right to read as any',
    request: ({ end }) => ({
      path: '/v2/state/active-contracts',
      body: { activeAtOffset: end, eventFormat: { filtersForAnyParty: {} } },
    }),
    code: 'NA',
    hint: 'name the parties in filtersByParty instead of filtersForAnyParty, or let an administrator grant CanReadAsAnyParty',
  },
  {
    mistake: 'an update id that is no hash',
    request: (stage) => ({
      path: '/v2/updates/update-by-id',
      body: { updateId: 'abc', updateFormat: transactions(stage) },
    }),
    code: 'INVALID_ARGUMENT',
    hint: 'an updateId has 68 hex digits; take it from a transaction or a completion',
  },
  {
    mistake: 'completions without parties',
    request: plainly({ path: '/v2/commands/completions', body: { beginExclusive: 0 } }),
    code: 'MISSING_FIELD',
    hint: 'name the submitting parties: "parties": ["PARTY"]',
  },

  // ── Tokens and users
  {
    mistake: 'no token',
    request: (stage) => ({ ...submit(stage, create(payload(stage))), token: null }),
    code: 'NA',
    hint: `send the header Authorization: Bearer TOKEN; ${makeToken}`,
  },
  {
    mistake: 'a token without Bearer',
    request: ({ tokens }) => ({
      method: 'GET',
      path: '/v2/users',
      token: null,
      headers: { authorization: tokens.admin },
    }),
    code: 'NA',
    hint: 'write Bearer before the token: Authorization: Bearer TOKEN',
  },
  {
    mistake: 'a token in quotes',
    request: ({ tokens }) => ({ method: 'GET', path: '/v2/users', token: `"${tokens.admin}"` }),
    code: 'NA',
    hint: `after Bearer comes a JSON Web Token, without quotes: ${makeToken}`,
  },
  {
    mistake: 'an expired token',
    request: ({ badTokens }) => ({ method: 'GET', path: '/v2/users', token: badTokens.expired }),
    code: 'NA',
    hint: `it is too old: ${makeToken}`,
  },
  {
    mistake: 'a token with another secret',
    request: ({ badTokens }) => ({ method: 'GET', path: '/v2/users', token: badTokens.otherSecret }),
    code: 'NA',
    hint: `it is signed with another key than this node has, such as that of another data folder: ${makeToken}`,
  },
  {
    mistake: 'a token for another audience',
    request: ({ badTokens }) => ({ method: 'GET', path: '/v2/users', token: badTokens.otherAudience }),
    code: 'NA',
    hint: 'the claim aud has to be tallystick',
  },
  {
    mistake: 'a token of a user that does not exist',
    request: ({ badTokens }) => ({ method: 'GET', path: '/v2/users', token: badTokens.unknownUser }),
    code: 'NA',
    hint: 'create it with POST /v2/users, or use another token',
  },
  {
    mistake: 'the user id of somebody else',
    request: createBy({ userId: 'bobby' }),
    code: 'NA',
    hint: 'leave out userId, which then is that of the token, or write the same as its sub',
  },
  {
    mistake: 'the application id of older versions',
    request: (stage) => ({
      ...createBy({ applicationId: 'app', commandId: '' })(stage),
    }),
    code: 'MISSING_FIELD',
    hint: '`applicationId`: did you mean `userId`?',
  },
  {
    mistake: 'administration by a user that is no administrator',
    request: plainly({ path: '/v2/parties', body: { partyIdHint: 'new' } }),
    code: 'NA',
    hint: 'use a token of an administrator: tallystick token --admin makes one, or grant the right',
  },
  {
    mistake: 'a user that exists',
    request: admin('/v2/users', { user: { id: 'app' }, rights: [] }),
    code: 'USER_ALREADY_EXISTS',
    hint: 'use it; POST /v2/users/USER/rights grants it more rights',
  },
  {
    mistake: 'a user that does not exist',
    request: ({ tokens }) => ({ method: 'GET', path: '/v2/users/appp', token: tokens.admin }),
    code: 'USER_NOT_FOUND',
    hint: 'GET /v2/users lists the users, and POST /v2/users creates one',
  },

  // ── Submissions
  {
    mistake: 'a command id that was used before',
    request: createBy({ commandId: 'first' }),
    code: 'DUPLICATE_COMMAND',
    hint: 'a new command needs a new commandId; this one was accepted before',
  },
  {
    mistake: 'the alias of a synchronizer instead of its id',
    request: createBy({ synchronizerId: 'global' }),
    code: 'INVALID_FIELD',
    hint: 'leave out synchronizerId, or take it from GET /v2/state/connected-synchronizers',
  },
  {
    mistake: 'a package name as a preferred package id',
    request: createBy({ packageIdSelectionPreference: ['quickstart'] }),
    code: 'JSON_API_PACKAGE_SELECTION_FAILED',
    hint: 'packageIdSelectionPreference takes package ids, of 64 hex digits, not names; GET /v2/packages lists them',
  },

  // ── Packages and time
  {
    mistake: 'a package that is not vetted',
    request: (stage) => submit(stage, create({ parties: [stage.alice] }, '#keys-lf23:Keys:Actor')),
    code: 'JSON_API_PACKAGE_SELECTION_FAILED',
    hint: 'the package is not vetted: vet it with POST /v2/package-vetting/update, or upload its DAR with vetAllPackages=true',
  },
  {
    mistake: 'an upload that is no DAR',
    request: admin('/v2/packages', Buffer.from('hello')),
    code: 'INVALID_DAR',
    hint: 'this is not a zip file, or its end is missing',
  },
  {
    mistake: 'another package with the same name and version',
    request: admin('/v2/packages', Buffer.from(rebuiltQuickstart().bytes)),
    code: 'KNOWN_PACKAGE_VERSION',
    hint: 'raise the version in daml.yaml, or let it take over with tallystick dar upload --replace FILE',
  },
  {
    mistake: 'a package of Daml-LF 1',
    request: admin('/v2/packages', lf1Dar),
    code: 'ALLOWED_LANGUAGE_VERSIONS',
    hint: 'build with --target=2.1 in the build-options of daml.yaml (2.2 and 2.3 run, too)',
  },
  {
    mistake: 'an upload by a user that is no administrator',
    request: plainly({ path: '/v2/packages', body: Buffer.from(quickstartBytes) }),
    code: 'NA',
    hint: 'use a token of an administrator: tallystick token --admin makes one, or grant the right',
  },
  {
    mistake: 'a package by its name',
    request: plainly({ method: 'GET', path: '/v2/packages/quickstart' }),
    code: 'PACKAGE_NOT_FOUND',
    hint: 'GET /v2/packages lists the ids, of 64 hex digits each; a name is no id',
  },
  {
    mistake: 'setting the time of a node that follows the wall clock',
    request: admin('/v2/time', { currentTime: '2030-01-01T00:00:00Z', newTime: '2030-01-02T00:00:00Z' }),
    code: 'NA',
    hint: 'tallystick start --static-time lets time be set; POST /dev/time moves it on any development node',
  },

  // ── Paths and headers
  {
    mistake: 'creating by the JSON API of Daml 2',
    request: plainly({ path: '/v1/create', body: {} }),
    code: 404,
    hint: 'this is now POST /v2/commands/submit-and-wait-for-transaction with a CreateCommand',
  },
  {
    mistake: 'querying by the JSON API of Daml 2',
    request: plainly({ path: '/v1/query', body: {} }),
    code: 404,
    hint: 'this is now POST /v2/state/active-contracts',
  },
  {
    mistake: 'a misspelt path',
    request: plainly({ method: 'GET', path: '/v2/state/leger-end' }),
    code: 404,
    hint: 'did you mean /v2/state/ledger-end?',
  },
  {
    mistake: 'a path without its version',
    request: plainly({ method: 'GET', path: '/parties' }),
    code: 404,
    hint: 'did you mean /v2/parties?',
  },
  {
    mistake: 'a gRPC method on the JSON port',
    request: plainly({ path: '/com.daml.ledger.api.v2.CommandService/SubmitAndWait', body: {} }),
    code: 404,
    hint: 'this is now the gRPC port, which is another one: grpc.port',
  },
  {
    mistake: 'GET instead of POST',
    request: plainly({ method: 'GET', path: submission }),
    code: 405,
    hint: '/v2/commands/submit-and-wait takes POST',
  },
  {
    mistake: 'POST instead of GET',
    request: plainly({ path: '/v2/state/ledger-end', body: {} }),
    code: 405,
    hint: '/v2/state/ledger-end takes GET',
  },
  {
    mistake: 'an answer in another form than JSON',
    request: ({ tokens }) => ({
      method: 'GET',
      path: '/v2/users',
      token: tokens.admin,
      headers: { accept: 'text/html' },
    }),
    code: 406,
    hint: 'accept application/json, or leave out the header Accept',
  },
  {
    mistake: 'a query parameter that is no number',
    request: ({ tokens }) => ({ method: 'GET', path: '/v2/users?pageSize=ten', token: tokens.admin }),
    code: 400,
    hint: 'GET /docs says what `pageSize` may be',
  },
]
