// The suites of Canton's ledger-api-test-tool by name (AvailableTests: V2_2, V2_3, V2_dev), and which tests of ours cover
// what each is about. `tools/compare-suites.ts` finds the names that a Canton's sources have and this table has not.

/** A file of tests and the title of one in it. */
export type Covering = readonly [file: string, title: string]

export type Suite = {
  readonly name: string
  readonly covering: readonly Covering[]
  /** Why the suite itself does not run here; COMPAT.md says the same. */
  readonly notRun?: string
}

const e2e = (file: string, title: string): Covering => [`test/e2e/${file}.test.ts`, title]
const engine = (file: string, title: string): Covering => [`src/engine/${file}.test.ts`, title]
const reading = (file: string, title: string): Covering => [`src/ledger/reading/${file}.test.ts`, title]
const commit = (title: string): Covering => ['src/ledger/commit/commit-queue.test.ts', title]
const differential: Covering = ['test/differential/engine.test.ts', 'the engine agrees with the reference']

const devPackages = 'Its packages are of LF 2.dev, which is refused'

const rows: Readonly<Record<string, readonly Covering[] | { notRun: string; covering: readonly Covering[] }>> = {
  ActiveContractsServiceIT: [
    e2e('updates', 'leave contracts active'),
    ['src/ledger/reading/active-contracts.test.ts', 'resumes only with the same request'],
  ],
  CheckpointInTailingStreamsIT: [
    e2e('submission', 'have checkpoints among their completions once there is news'),
    reading('completions', 'come with checkpoints'),
  ],
  CommandDeduplicationIT: [
    e2e('submission', 'are refused as duplicates in their completion, within the deduplication period'),
  ],
  CommandDeduplicationParallelIT: [
    e2e('submission', 'that are identical succeed once'),
    e2e('submission', 'are refused while another with their change id is in flight'),
  ],
  CommandDeduplicationPeriodValidationIT: [e2e('submission', 'are duplicates within the period that they name')],
  CommandServiceIT: [
    e2e('submission', 'are of four kinds'),
    e2e('submission', 'are answered in the requested form'),
    e2e('grpc', 'takes commands, and shows what they did'),
  ],
  CommandSubmissionCompletionIT: [e2e('submission', 'have completions for those who acted')],
  CompletionDeduplicationInfoIT: [
    e2e('submission', 'are refused as duplicates in their completion, within the deduplication period'),
    commit('recognizes a change for as long as its submission asks for'),
  ],
  ContractIdIT: [differential, engine('transaction/suffix', 'a suffix is ca12 and a SHA-256 over what it commits to')],
  ContractServiceIT: [reading('contract-events', 'a contract by its id')],
  DamlValuesIT: [differential, ['src/lf/codec/round-trip.test.ts', 'JSON and protobuf read what they write']],
  DeeplyNestedValueIT: [
    ['src/lf/codec/json.test.ts', 'a value may be nested 100 deep, and no deeper'],
    e2e('hostile', 'nested without limit in the values of a command is refused'),
  ],
  DivulgenceIT: [
    engine('transaction/blinding', 'parties that see an exercise see what is inside it, and not what is beside it'),
    e2e('updates', 'show each party what concerns it'),
  ],
  EventQueryServiceIT: [
    e2e('updates', 'of one contract are its events'),
    reading('contract-events', 'have their keys in order'),
  ],
  ExplicitDisclosureIT: [e2e('submission', 'may use disclosed contracts')],
  ExternalPartyManagementServiceIT: [
    e2e('external-parties', 'without the signature of the party there is only a proposal'),
    e2e('external-party-refusals', 'an allocation request is refused with the texts of Canton'),
  ],
  GetCompletionsIT: [reading('completions', 'are shown as soon as they are published, and not before')],
  HealthServiceIT: [e2e('grpc', 'is healthy, and says what it offers')],
  IdentityProviderConfigServiceIT: [
    e2e('identity-providers', 'can be created, fetched, listed, updated and deleted'),
    e2e('identity-providers', 'are refused, and a refusal changes nothing'),
  ],
  InteractiveSubmissionServiceIT: [
    e2e('interactive-submission', 'requests to prepare, each with its text'),
    e2e('interactive-submission', 'requests to execute, each with its text'),
    e2e('preferred-packages', 'require names, vetting and at least one party'),
  ],
  InterfaceIT: [differential, e2e('updates', 'can be narrowed to templates and interfaces')],
  InterfaceSubscriptionsIT: [
    e2e('updates', 'include views and blobs on request'),
    e2e('updates', 'report a failed view without failing'),
    reading('updates', 'without end sees implementations of an interface that are uploaded later'),
  ],
  InterfaceSubscriptionsWithEventBlobsIT: [e2e('updates', 'include views and blobs on request')],
  LimitsIT: [differential, e2e('large-reads', 'a ledger of updates of seven megabytes')],
  MultiPartySubmissionIT: [
    engine('transaction/authority', 'details name the missing parties, and the exercises on the way'),
    e2e('submission', 'may read as others'),
  ],
  PackageManagementServiceIT: [
    e2e('packages', 'are refused if they cannot be read, and nothing is kept'),
    e2e('packages', 'can be validated without being stored'),
  ],
  PackageServiceIT: [e2e('packages', 'are uploaded, listed, and returned as bytes whose hash is their id')],
  ParticipantPruningIT: [e2e('updates', 'are gone, and active contracts stay'), e2e('prune', 'tallystick prune')],
  PartyManagementServiceIT: [
    e2e('parties', 'are allocated only by a valid request, checked in order'),
    e2e('parties', 'are listed page by page, by the bytes of their ids'),
  ],
  PartyManagementServiceObjectMetaIT: [e2e('parties', 'change at most once per resource version')],
  PartyManagementServiceUpdateRpcIT: [e2e('parties', 'are updated only by a valid request, checked in order')],
  SemanticTests: [
    e2e('submission', 'that compete for a contract succeed once'),
    engine('transaction/blinding', 'a consuming exercise concerns stakeholders'),
  ],
  StateServiceIT: [
    ['src/api/routes/state.test.ts', 'are given to any authenticated user'],
    e2e('vetting', 'are where parties are allocated and hosted'),
  ],
  TLSAtLeastOnePointTwoIT: [e2e('grpc-wire', 'over TLS')],
  TLSOnePointThreeIT: [e2e('grpc-wire', 'over TLS')],
  TimeServiceIT: [e2e('time', 'stays where it was started until it is moved')],
  TransactionServiceArgumentsIT: [differential, e2e('updates', 'show each party what concerns it')],
  TransactionServiceAuthorizationIT: [
    engine('transaction/authority', 'details name the missing parties, and the exercises on the way'),
  ],
  TransactionServiceCorrectnessIT: [
    e2e('updates', 'are the same in the older forms'),
    ['src/ledger/reading/updates.contract.ts', 'are complete and in order, over many batches'],
  ],
  TransactionServiceExerciseIT: [differential, e2e('submission', 'are of four kinds')],
  TransactionServiceFiltersIT: [e2e('updates', 'can be narrowed to templates and interfaces')],
  TransactionServiceOutputsIT: [differential, e2e('updates', 'show each party what concerns it')],
  TransactionServiceStakeholdersIT: [engine('transaction/blinding', 'a create concerns its stakeholders')],
  TransactionServiceValidationIT: [reading('updates', 'refuses '), e2e('updates', 'require bounds in order')],
  TransactionServiceVisibilityIT: [
    e2e('updates', 'name the requesting parties that see it, and the submitter only to itself'),
  ],
  UpdateServiceQueryIT: [e2e('updates', 'are found by offset and by id'), e2e('updates', 'come in pages')],
  UpdateServiceStreamsIT: [
    reading('updates', 'without end continues with new updates once they are published'),
    e2e('websocket', 'continues with new elements'),
  ],
  UpdateServiceTopologyEventsIT: [e2e('topology', 'follow on a WebSocket as parties are allocated')],
  UpgradingIT: [
    e2e('upgrades', 'each rule refuses an upload, in the words of the reference'),
    engine('upgrades', 'an old contract is exercised through a newer version, and its code runs'),
  ],
  UserManagementServiceIT: [
    e2e('users', 'can be created, fetched, listed, updated, granted, revoked and deleted'),
    e2e('users', 'are created only by a valid request, checked in order'),
  ],
  UserManagementServiceObjectMetaIT: [
    e2e('users', 'keep annotations that an update does not name, and drop those it empties'),
  ],
  UserManagementServiceUpdateRpcIT: [e2e('users', 'are updated only by a valid request, checked in order')],
  ValueLimitsIT: [differential, ['src/lf/codec/json.test.ts', 'a value may be nested 100 deep, and no deeper']],
  VettingIT: [
    e2e('vetting', 'accepts packages by id, by name, by name and version, and by all three'),
    e2e('vetting', 'refuses references that match none, or several'),
  ],
  WitnessesIT: [
    engine('transaction/blinding', 'parties that see an exercise see what is inside it, and not what is beside it'),
  ],
  WronglyTypedContractIdIT: [differential],

  ContractKeysCommandDeduplicationIT: [
    e2e('submission', 'are refused as duplicates in their completion, within the deduplication period'),
    e2e('keys', 'resolves to the newest, and to the next older one once that is archived'),
  ],
  ContractKeysContractIdIT: [engine('transaction/keys', 'a key may not hold a contract id')],
  ContractKeysDeeplyNestedValueIT: [
    ['src/lf/codec/json.test.ts', 'a value may be nested 100 deep, and no deeper'],
    differential,
  ],
  ContractKeysDivulgenceIT: [engine('transaction/keys', 'contracts that no reader may see are not found by key')],
  ContractKeysExplicitDisclosureIT: [e2e('keys', 'stands for disclosed contracts first, in the order of the request')],
  ContractKeysIT: [
    e2e('keys', 'returns as many as requested, those of the transaction first, each newest first'),
    differential,
  ],
  ContractKeysMultiPartySubmissionIT: [
    engine('transaction/keys', 'contracts that no reader may see are not found by key'),
  ],
  ContractKeysWronglyTypedContractIdIT: [differential],
  PrefetchContractKeysIT: [engine('interpreter', 'prefetched keys are looked up first, and once')],
  RaceConditionIT: [
    commit('accepts one of two commands that archive a contract, in one batch or in two'),
    commit('accepts a command that found no contract of a key although there is one by now, as Canton does'),
  ],

  EventsDescendantsIT: {
    notRun: devPackages,
    covering: [engine('transaction/rollback', 'nodes are numbered in pre-order, and record where their subtree ends')],
  },
  ExceptionRaceConditionIT: {
    notRun: devPackages,
    covering: [
      commit('accepts a command that found no contract of a key although there is one by now, as Canton does'),
    ],
  },
  ExceptionsIT: {
    notRun: devPackages,
    covering: [
      differential,
      engine('transaction/rollback', 'the last descendant of an exercise is none that was rolled back'),
    ],
  },
}

export const cantonSuites: readonly Suite[] = Object.entries(rows).map(([name, row]) =>
  'covering' in row ? { name, ...row } : { name, covering: row },
)
