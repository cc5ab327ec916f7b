// A table that says what to do about a refusal, by its code and Canton's words. Its rows need neither the ledger nor the request
// and say nothing that is not in the API's description.
import type { ErrorCode, LedgerError } from '../../base/errors.ts'

/** A row without a pattern is for every error of the code. The text may use `$1` for what the pattern found. */
type Row = readonly [code: ErrorCode, pattern: RegExp | undefined, text: string]

const readOffsets =
  'GET /v2/state/ledger-end tells the end of this ledger; offsets of another one, or from before a reset, are not valid here'
const makeToken = 'make a token with tallystick token, or from its secret (docs/tokens.md)'
const eventFormat = '{"filtersByParty": {"PARTY": {}}, "verbose": false}'
const unknownParty = 'a party of the transaction is not known here: check its id, or allocate it with POST /v2/parties'
const vetAgain = 'vet it with POST /v2/package-vetting/update, or upload its DAR with vetAllPackages=true'

const rows: readonly Row[] = [
  // ── Tokens and rights; the words are this node's own
  ['UNAUTHENTICATED', /carries no token/, `send the header Authorization: Bearer TOKEN; ${makeToken}`],
  ['UNAUTHENTICATED', /expired/, `it is too old: ${makeToken}`],
  ['UNAUTHENTICATED', /not valid yet|issued in the future/, 'the clocks of the issuer and of this node differ'],
  ['UNAUTHENTICATED', /audience \(.*\) does not contain ([^;]*)/, 'the claim aud has to be $1'],
  ['UNAUTHENTICATED', /scope \(.*\) does not contain ([^;]*)/, 'the claim scope has to contain $1'],
  ['UNAUTHENTICATED', /lives longer|never expires/, 'give it an earlier exp, or raise limits.tokenLifetimeMaxMs'],
  ['UNAUTHENTICATED', /names no user/, 'the claim sub names the user of the ledger'],
  [
    'UNAUTHENTICATED',
    /signature does not fit/,
    `it is signed with another key than this node has, such as that of another data folder: ${makeToken}`,
  ],
  ['UNAUTHENTICATED', /\(alg\)|algorithm/, 'its alg does not fit the keys of this node (auth.keys)'],
  ['UNAUTHENTICATED', undefined, `after Bearer comes a JSON Web Token, without quotes: ${makeToken}`],
  ['PERMISSION_DENIED', /the user (\S+) does not exist/, 'create it with POST /v2/users, or use another token'],
  ['PERMISSION_DENIED', /is deactivated/, 'PATCH /v2/users/USER with isDeactivated false lets it in again'],
  [
    'PERMISSION_DENIED',
    /the request is for the user/,
    'leave out userId, which then is that of the token, or write the same as its sub',
  ],
  [
    'PERMISSION_DENIED',
    /the right CanReadAsAnyParty is missing/,
    'name the parties in filtersByParty instead of filtersForAnyParty, or let an administrator grant CanReadAsAnyParty',
  ],
  [
    'PERMISSION_DENIED',
    /the right (ParticipantAdmin)/,
    'use a token of an administrator: tallystick token --admin makes one, or grant the right',
  ],

  // ── Submissions
  ['MISSING_FIELD', /: act_as/, 'name the parties that act: "actAs": ["PARTY"]'],
  ['MISSING_FIELD', /: command_id$/, 'a commandId is any new text, such as a UUID'],
  ['MISSING_FIELD', /: commands$/, 'a submission has at least one command: "commands": [{"CreateCommand": {...}}]'],
  ['MISSING_FIELD', /: contract_id$/, 'take the contractId from a created event'],
  ['MISSING_FIELD', /: parties$/, 'name the submitting parties: "parties": ["PARTY"]'],
  [
    'MISSING_FIELD',
    /createdEventBlob/,
    'read the contract with "includeCreatedEventBlob": true in its filter, and pass on its createdEventBlob',
  ],
  [
    'INVALID_ARGUMENT',
    /decode disclosed contract/,
    'the createdEventBlob is cut off or changed: pass it on whole, as the owner read it',
  ],
  ['DUPLICATE_COMMAND', undefined, 'a new command needs a new commandId; this one was accepted before'],
  ['SUBMISSION_ALREADY_IN_FLIGHT', undefined, 'the same command is being decided: wait for its completion'],
  ['WRONGLY_TYPED_CONTRACT', /but got ([\w.]+:[\w.]+)/, 'the contract is of $1: write that template as the templateId'],
  ['TEMPLATE_PRECONDITION_VIOLATED', undefined, 'the ensure clause of the template is False for these arguments'],
  [
    'INVALID_FIELD',
    /synchronizer_id/,
    'leave out synchronizerId, or take it from GET /v2/state/connected-synchronizers',
  ],
  [
    'INVALID_FIELD',
    /Invalid field act_as|Invalid field read_as/,
    'a party is named by its whole id, as in alice::1220...',
  ],
  [
    'JSON_API_PACKAGE_SELECTION_FAILED',
    /Package-id (\S+) not known/,
    'packageIdSelectionPreference takes package ids, of 64 hex digits, not names; GET /v2/packages lists them',
  ],
  ['JSON_API_PACKAGE_SELECTION_FAILED', /vetted|vetting/, `the package is not vetted: ${vetAgain}`],
  ['PACKAGE_SELECTION_FAILED', undefined, `the package is not vetted: ${vetAgain}`],
  ['NO_VETTED_INTERFACE_IMPLEMENTATION_PACKAGE', undefined, vetAgain],
  ['UNKNOWN_INFORMEES', undefined, unknownParty],
  ['UNKNOWN_SUBMITTERS', undefined, unknownParty],
  ['INVALID_DEDUPLICATION_PERIOD', undefined, 'shorten the deduplicationPeriod, or leave it out'],

  // ── Reading
  ['INVALID_ARGUMENT', /filter\/verbose or event_format/, `say what to read: "eventFormat": ${eventFormat}`],
  [
    'INVALID_ARGUMENT',
    /filter\/verbose or update_format/,
    `say what to read: "updateFormat": {"includeTransactions": {"eventFormat": ${eventFormat}, "transactionShape": "TRANSACTION_SHAPE_ACS_DELTA"}}`,
  ],
  ['INVALID_ARGUMENT', /parse hex string/, 'an updateId has 68 hex digits; take it from a transaction or a completion'],
  ['OFFSET_AFTER_LEDGER_END', undefined, readOffsets],
  ['OFFSET_OUT_OF_RANGE', /prune_up_to/, 'prune up to an offset before the end, which GET /v2/state/ledger-end tells'],
  ['OFFSET_OUT_OF_RANGE', undefined, readOffsets],
  ['NEGATIVE_OFFSET', undefined, 'offsets begin with 0, the start of the ledger'],
  ['NON_POSITIVE_OFFSET', undefined, 'offsets of updates begin with 1'],
  [
    'PARTICIPANT_PRUNED_DATA_ACCESSED',
    undefined,
    'begin after the offset of GET /v2/state/latest-pruned-offsets; what was before it is gone',
  ],
  ['UPDATE_NOT_FOUND', undefined, 'no such update that these parties can see: check the id, the format and the ledger'],

  // ── Parties and users
  ['INVALID_ARGUMENT', /Party already exists/, 'use it: GET /v2/parties lists the ids; or choose another partyIdHint'],
  [
    'INVALID_ARGUMENT',
    /reserved delimiter/,
    'a partyIdHint is only the first part of an id; the node adds ::fingerprint',
  ],
  ['INVALID_ARGUMENT', /in Daml-LF Party/, 'a party has letters, digits, and - _ : and spaces'],
  [
    'INVALID_ARGUMENT',
    /unknown kind of right/,
    'write a right as {"kind": {"CanActAs": {"value": {"party": "PARTY"}}}}',
  ],
  [
    'INVALID_FIELD',
    /User ID "/,
    "a user id has up to 128 letters, digits and signs of @^$.!`-#+'~_|:(), and no spaces",
  ],
  ['USER_ALREADY_EXISTS', undefined, 'use it; POST /v2/users/USER/rights grants it more rights'],
  ['USER_NOT_FOUND', undefined, 'GET /v2/users lists the users, and POST /v2/users creates one'],

  // ── Packages
  ['PACKAGE_NOT_FOUND', undefined, 'GET /v2/packages lists the ids, of 64 hex digits each; a name is no id'],
  [
    'KNOWN_PACKAGE_VERSION',
    undefined,
    'raise the version in daml.yaml, or let it take over with tallystick dar upload --replace FILE',
  ],
  [
    'ALLOWED_LANGUAGE_VERSIONS',
    undefined,
    'build with --target=2.1 in the build-options of daml.yaml (2.2 and 2.3 run, too)',
  ],
  ['NOT_VALID_UPGRADE_PACKAGE', undefined, 'tallystick dar check NEW --against OLD shows every break'],
  ['INVALID_DAR', undefined, 'send the bytes of a .dar file: curl --data-binary @FILE'],
  ['DAR_PARSE_ERROR', undefined, 'send the bytes of a .dar file: curl --data-binary @FILE'],

  // ── The node
  [
    'UNIMPLEMENTED',
    /wall clock/,
    'tallystick start --static-time lets time be set; POST /dev/time moves it on any development node',
  ],
  ['UNIMPLEMENTED', undefined, 'COMPAT.md lists what this node does not do'],
]

export function adviceFor({ code, message }: Pick<LedgerError, 'code' | 'message'>): string | undefined {
  for (const [rowCode, pattern, text] of rows) {
    if (rowCode !== code) continue
    const match = pattern === undefined ? undefined : pattern.exec(message)
    if (match !== null) return text.replace('$1', () => match?.[1]?.trim().slice(0, 200) ?? '')
  }
  return undefined
}
