// Refusals of the onboarding of external parties over HTTP: status, code, text, and the order of the checks.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { refusalOf, startTestNode, type TestNode } from '../fixtures/node.ts'
import { bare, base64, createOnboardingClient, invalid, type OnboardingClient, short } from '../fixtures/onboarding.ts'
import { createSigner, type SignatureJson, type Signer } from '../fixtures/signer.ts'
import {
  decentralizedNamespace,
  type KeyOf,
  namespaceDelegation,
  partyHostingLimits,
  partyToKeyMapping,
  partyToParticipant,
  permission,
  transaction,
  usage,
} from '../fixtures/topology.ts'

/** Canton fills in what it cannot decode. */
const filledIn = (field: string) => [
  400,
  `Invalid value for: body (Got value '{"Unrecognized":{"unrecognizedValue":0}}' with wrong type, expecting string at '${field}')`,
]
const badField = (field: string, reason: string) => [
  400,
  'INVALID_FIELD',
  `The submitted command has a field with invalid value: Invalid field ${field}: ${reason}`,
]

describe('the onboarding of external parties', () => {
  let node: TestNode
  let client: OnboardingClient
  let synchronizer: string
  let participant: string

  before(async () => {
    node = await startTestNode()
    client = await createOnboardingClient(node)
    ;({ synchronizer, participant } = client)
  })
  after(() => node[Symbol.asyncDispose]())

  test('a topology request is refused with the texts of Canton', async () => {
    const signer = createSigner()
    const valid = { partyHint: 'bob', publicKey: signer.publicKey }
    const own = `PAR::${short(participant)}`
    const keyProblem = (reason: string, format = 'DER-encoded X.509 SubjectPublicKeyInfo') =>
      new RegExp(
        `: KeyParseAndValidateError\\(Failed to deserialize or validate ${format} public key \\[1220[0-9a-f]{8}\\.\\.\\.\\]: ` +
          `KeyParseAndValidateError\\(${reason}\\)\\)$`,
      )
    const cases: [title: string, changes: object, want: unknown[] | RegExp][] = [
      ['no key', { publicKey: undefined }, invalid('Field `public_key` is not set')],
      ['no format', { publicKey: { ...signer.publicKey, format: undefined } }, filledIn('publicKey.format')],
      ['no kind of key', { publicKey: { ...signer.publicKey, keySpec: undefined } }, filledIn('publicKey.keySpec')],
      [
        'an unspecified format',
        { publicKey: { ...signer.publicKey, format: 'CRYPTO_KEY_FORMAT_UNSPECIFIED' } },
        invalid('Field `format` is not set'),
      ],
      [
        'an unspecified kind of key',
        { publicKey: { ...signer.publicKey, keySpec: 'SIGNING_KEY_SPEC_UNSPECIFIED' } },
        invalid('Field `key_spec and scheme` is not set'),
      ],
      [
        'an unknown kind of key',
        { publicKey: { ...signer.publicKey, keySpec: 'RSA' } },
        [
          400,
          'Invalid value for: body (Unrecognized enum value RSA. Supported values: [SIGNING_KEY_SPEC_UNSPECIFIED, ' +
            'SIGNING_KEY_SPEC_EC_CURVE25519, SIGNING_KEY_SPEC_EC_P256, SIGNING_KEY_SPEC_EC_P384, ' +
            "SIGNING_KEY_SPEC_EC_SECP256K1] at 'publicKey.keySpec')",
        ],
      ],
      [
        'another kind of key',
        { publicKey: { ...signer.publicKey, keySpec: 'SIGNING_KEY_SPEC_EC_P256' } },
        keyProblem('Public key is not an EC public key'),
      ],
      [
        'another format',
        { publicKey: { ...createSigner('SIGNING_KEY_SPEC_EC_P256').publicKey, format: 'CRYPTO_KEY_FORMAT_RAW' } },
        keyProblem('Invalid format for public key: Raw', 'Raw'),
      ],
      ['no synchronizer', { synchronizer: '' }, invalid('Empty string is not a valid unique identifier.')],
      [
        'an unknown synchronizer',
        { synchronizer: 'other::1220ab' },
        invalid('Unknown or not connected synchronizer other::1220ab'),
      ],
      ['no hint', { partyHint: '' }, invalid('Party hint is empty')],
      ['a bad hint', { partyHint: 'a%b' }, invalid('party_hint: non expected character 0x25 in Daml-LF Party "a%b"')],
      ['a hint in two parts', { partyHint: 'a::b' }, invalid('party_hint: String contains reserved delimiter `::`.')],
      [
        'a long hint',
        { partyHint: 'a'.repeat(186) },
        invalid(
          `The given string has a maximum length of 185 but a string of length 186 ('${'a'.repeat(186)}.') was given`,
        ),
      ],
      ['a negative threshold', { confirmationThreshold: -1 }, invalid('Negative confirmation threshold observed')],
      [
        'an invalid participant',
        { otherConfirmingParticipantUids: ['two'] },
        invalid('Invalid unique identifier `two` with missing namespace.'),
      ],
      [
        'this participant among the others that confirm',
        { otherConfirmingParticipantUids: [participant] },
        invalid(
          `This participant node (${own}) is also listed in 'otherConfirmingParticipantUids'. By sending the request to ` +
            "this node, it is de facto a hosting node and must not be listed in 'otherConfirmingParticipantUids'.",
        ),
      ],
      [
        'this participant among those that observe',
        { observingParticipantUids: [participant] },
        invalid(
          `This participant node (${own}) is also listed in 'observingParticipantUids'. By sending the request to ` +
            "this node, it is de facto a hosting node and must not be listed in 'observingParticipantUids'.",
        ),
      ],
      [
        'a participant twice',
        { otherConfirmingParticipantUids: ['two::1220'], observingParticipantUids: ['two::1220'] },
        invalid(
          'The following participant IDs are referenced multiple times in the request: two::1220. Please ensure all ' +
            "IDs are referenced only once across 'otherConfirmingParticipantUids' and 'observingParticipantUids' fields.",
        ),
      ],
      [
        'a threshold that cannot be reached',
        { confirmationThreshold: 2 },
        invalid('Confirmation threshold exceeds number of confirming participants'),
      ],
      [
        'no confirming participant',
        { localParticipantObservationOnly: true },
        invalid('There is no confirming participant'),
      ],
    ]
    for (const [title, changes, want] of cases) {
      const answer = await client.generate({ ...valid, ...changes })
      if (want instanceof RegExp) assert.match(answer.json.cause, want, title)
      else assert.deepEqual(refusalOf(answer), want, title)
    }
  })

  test('an allocation request is refused with the texts of Canton', async () => {
    const signer = createSigner()
    const { json } = await client.generate({ partyHint: 'carol', publicKey: signer.publicKey })
    const [bytes] = json.topologyTransactions as [string]
    const good = signer.sign(Buffer.from(json.multiHash, 'base64'))
    const valid = { onboardingTransactions: [{ transaction: bytes }], multiHashSignatures: [good] }
    const signedAs = (changes: Partial<SignatureJson>) => ({ multiHashSignatures: [{ ...good, ...changes }] })
    const multiField = 'multi_hash_signatures.signatures'
    const txField = 'onboarding_transactions.transaction'
    const mapping = partyToParticipant({
      party: json.partyId,
      hosts: [[participant, permission.confirmation]],
      keys: [{ signer }],
    })
    const altered = (options: object) => ({
      onboardingTransactions: [{ transaction: base64(transaction(mapping, options)) }],
    })
    const cases: [title: string, changes: object, want: unknown[]][] = [
      [
        'no synchronizer',
        { synchronizer: '' },
        [400, 'MISSING_FIELD', 'The submitted command is missing a mandatory field: synchronizer'],
      ],
      [
        'no id of a synchronizer',
        { synchronizer: 'x' },
        badField('synchronizer', 'Unable to parse `x` as physical synchronizer id'),
      ],
      [
        'an unknown synchronizer',
        { synchronizer: 'other::1220ab' },
        invalid('This node is not connected to the requested synchronizer other::1220ab.'),
      ],
      [
        'no transactions',
        { onboardingTransactions: [] },
        badField('onboarding_transactions.transactions', 'Transactions field is empty'),
      ],
      [
        'an empty transaction',
        { onboardingTransactions: [{ transaction: '' }] },
        badField(txField, 'Invalid transaction: Field `TopologyTransaction: data` is not set'),
      ],
      [
        'no protobuf',
        { onboardingTransactions: [{ transaction: base64(Buffer.from([0x0a, 0x7f, 1])) }] },
        badField(
          txField,
          'Invalid transaction: While parsing a protocol message, the input ended unexpectedly in the middle of a ' +
            'field.  This could mean either that the input has been truncated or that an embedded message misreported ' +
            'its own length.',
        ),
      ],
      [
        'another version',
        altered({ version: 31 }),
        badField(
          txField,
          'Invalid transaction: Message TopologyTransaction has no versioning information corresponding to protobuf ' +
            'ProtoVersion(31)',
        ),
      ],
      [
        'a removal',
        altered({ operation: 2 }),
        badField(txField, 'Onboarding topology transactions must be Replace operations'),
      ],
      [
        'another serial',
        altered({ serial: 2 }),
        badField(`${txField}.serial`, 'Onboarding transaction serial must be 1'),
      ],
      [
        'no serial',
        altered({ serial: 0 }),
        badField(
          txField,
          'Invalid transaction: Invariant violation in field `serial`: Received the non-positive 0 as argument, but we ' +
            'require a positive value here.',
        ),
      ],
      [
        'a signature without format',
        signedAs({ format: 'SIGNATURE_FORMAT_UNSPECIFIED' }),
        badField('format', 'Signature format must be specified'),
      ],
      ['a signature without a signer', signedAs({ signedBy: '' }), badField(multiField, 'Daml-LF Party is empty')],
      [
        'a signature without algorithm',
        signedAs({ signingAlgorithmSpec: 'SIGNING_ALGORITHM_SPEC_UNSPECIFIED' }),
        badField(multiField, 'Signing algorithm spec SIGNING_ALGORITHM_SPEC_UNSPECIFIED not supported'),
      ],
      [
        'an invalid user',
        { userId: 'a b' },
        badField('user_id', 'User ID "a b" does not match regex "[a-zA-Z0-9@^$.!`\\-#+\'~_|:\\(\\)]{1,128}"'),
      ],
      [
        'an unknown user',
        { userId: 'nobody' },
        [404, 'USER_NOT_FOUND', 'checking user\'s existence failed for unknown user "nobody"'],
      ],
      [
        'an unknown identity provider',
        { identityProviderId: 'acme' },
        invalid('Provided identity_provider_id Id(acme) has not been found.'),
      ],
      [
        'another algorithm',
        signedAs({ signingAlgorithmSpec: 'SIGNING_ALGORITHM_SPEC_EC_DSA_SHA_256' }),
        bare('Transaction signature verification failed'),
      ],
      [
        'another format',
        signedAs({ format: 'SIGNATURE_FORMAT_DER' }),
        bare('Transaction signature verification failed'),
      ],
      [
        'a signature of something else',
        { multiHashSignatures: [signer.sign(Buffer.from('something else'))] },
        bare('Transaction signature verification failed'),
      ],
    ]
    for (const [title, changes, want] of cases) {
      assert.deepEqual(refusalOf(await client.allocate({ ...valid, ...changes })), want, title)
    }
    assert.equal(await client.detailsOf(json.partyId), undefined)
    const physical = await client.allocate({ ...valid, synchronizer: `${synchronizer}::35-0` })
    assert.deepEqual(physical.json, { partyId: json.partyId })
  })

  test('errors that Canton sends without details have their own body', async () => {
    const signer = createSigner()
    const { json } = await client.generate({ partyHint: 'dan', publicKey: signer.publicKey })
    const answer = await client.allocate({
      onboardingTransactions: [{ transaction: json.topologyTransactions[0] }],
      multiHashSignatures: [signer.sign(Buffer.from('something else'))],
    })
    assert.deepEqual(answer.json, {
      code: 'Transaction signature verification failed',
      cause: 'INVALID_ARGUMENT: Transaction signature verification failed',
      correlationId: null,
      traceId: null,
      context: {},
      resources: [],
      errorCategory: -1,
      grpcCodeValue: 3,
      retryInfo: null,
      definiteAnswer: null,
    })
  })

  test('transactions that do not match each other are refused with the texts of Canton', async () => {
    const [signer, other] = [createSigner(), createSigner('SIGNING_KEY_SPEC_EC_P256')]
    const party = `eve::${signer.fingerprint}`
    const keys: KeyOf[] = [{ signer }]
    const good = client.hosting({ party, keys })
    const own = `PAR::${short(participant)}`
    const delegationOf = (one: Signer) => transaction(namespaceDelegation(one.fingerprint, { signer: one }))
    const keyMapping = (owner: string) => transaction(partyToKeyMapping(owner, 1, [{ signer: other }]))
    const typeOf = (name: string) => `com.digitalasset.canton.topology.transaction.${name}`
    const cases: [title: string, transactions: Buffer[], want: unknown[]][] = [
      [
        'of a kind that has no place here',
        [good, transaction(partyHostingLimits(party))],
        invalid(
          'Unsupported transactions found: PartyHostingLimits. Supported transactions are: NamespaceDelegation, ' +
            'DecentralizedNamespaceDefinition, PartyToParticipant, PartyToKeyMapping',
        ),
      ],
      [
        'that host no party',
        [delegationOf(signer)],
        invalid('One transaction of type PartyToParticipant must be provided, got 0'),
      ],
      [
        'that host two parties',
        [good, client.hosting({ party: `frank::${signer.fingerprint}`, keys })],
        invalid(`Only one transaction of type ${typeOf('PartyToParticipant')} can be provided, got 2`),
      ],
      [
        'that let the participant submit',
        [client.hosting({ party, keys, hosts: [[participant, permission.submission]] })],
        invalid(
          'The PartyToParticipant transaction must not contain any node with Submission permission. Nodes with ' +
            `submission permission: ${own}`,
        ),
      ],
      [
        'for another participant',
        [client.hosting({ party, keys, hosts: [['two::1220ab', permission.confirmation]] })],
        invalid(
          `The party is to be hosted on a single participant (PAR::two::1220ab) that is not this participant (${own}). ` +
            'Submit the allocation request on PAR::two::1220ab instead.',
        ),
      ],
      [
        'for other participants',
        [
          client.hosting({
            party,
            keys,
            hosts: [
              ['two::1220ab', 2],
              ['three::1220ab', 2],
            ],
          }),
        ],
        invalid('This node is not hosting the party either with Confirmation or Observation permission.'),
      ],
      [
        'without a confirming participant',
        [
          client.hosting({
            party,
            keys,
            hosts: [
              [participant, 3],
              ['two::1220ab', 3],
            ],
          }),
        ],
        invalid('The PartyToParticipant transaction must contain at least one node with Confirmation permission'),
      ],
      [
        'with a key that is not for this',
        [client.hosting({ party, keys: [{ signer, usages: [usage.namespace] }] })],
        invalid('Missing Protocol usage on signing keys'),
      ],
      [
        'with a key of the namespace that is not for this',
        [client.hosting({ party, keys: [{ signer, usages: [usage.protocol] }] })],
        invalid('Missing Namespace and Protocol usage on the party namespace key'),
      ],
      [
        'without keys',
        [client.hosting({ party })],
        invalid(
          'Party signing keys must be supplied either in the PartyToParticipant or in a PartyToKeyMapping transaction. ' +
            'Not in both.',
        ),
      ],
      [
        'with keys twice',
        [good, keyMapping(party)],
        invalid(
          'Party signing keys must be supplied either in the PartyToParticipant or in a PartyToKeyMapping transaction. ' +
            'Not in both.',
        ),
      ],
      [
        'with keys of another party',
        [client.hosting({ party }), keyMapping(`eve::${other.fingerprint}`)],
        invalid(
          `The PartyToKeyMapping namespace (${short(other.fingerprint)}) does not match the PartyToParticipant namespace ` +
            `(${short(signer.fingerprint)})`,
        ),
      ],
      [
        'with the namespace of another',
        [good, delegationOf(other)],
        invalid(
          `The Party namespace (${short(other.fingerprint)}) does not match the PartyToParticipant namespace ` +
            `(${short(signer.fingerprint)})`,
        ),
      ],
      [
        'with a delegation that is not a root',
        [good, transaction(namespaceDelegation(signer.fingerprint, { signer: other }))],
        invalid('NamespaceDelegation is not a root namespace. Ensure the namespace and target key are the same'),
      ],
      [
        'with a confirmation threshold that cannot be reached',
        [client.hosting({ party, keys, threshold: 2 })],
        invalid('Tried to set a confirming threshold (2) above the number of hosting nodes (1).'),
      ],
      [
        'with a signing threshold that cannot be reached',
        [client.hosting({ party, keys, keyThreshold: 2 })],
        invalid('Tried to set a signing threshold (2) above the number of signing keys (1).'),
      ],
    ]
    for (const [title, transactions, want] of cases) {
      const answer = await client.send(
        transactions.map((bytes) => ({ bytes })),
        [signer, other],
      )
      assert.deepEqual(refusalOf(answer), want, title)
      if (title.includes('threshold')) {
        const { submissionId } = answer.json.context
        assert.match(submissionId, /^'1220[0-9a-f]{64}'$/)
        assert.equal(answer.json.correlationId, submissionId.slice(1, -1))
      }
    }
  })

  test('malformed transactions are refused with the texts of Canton', async () => {
    const signer = createSigner()
    const party = `gus::${signer.fingerprint}`
    const many = Array.from({ length: 21 }, () => ({ signer: createSigner() }))
    const cases: [title: string, bytes: Buffer, want: string][] = [
      ['no mapping', transaction(() => undefined), 'Field `mapping` is not set'],
      [
        'no party',
        client.hosting({ party: 'gus', keys: [{ signer }] }),
        'Unable to convert field `party`: Invalid unique identifier `gus` with missing namespace.',
      ],
      [
        'no threshold',
        client.hosting({ party, threshold: 0 }),
        'Invariant violation in field `threshold`: Received the non-positive 0 as argument, but we require a positive ' +
          'value here.',
      ],
      [
        'no permission',
        client.hosting({ party, hosts: [[participant, 0]] }),
        'Field `PARTICIPANT_PERMISSION_UNSPECIFIED` is not set',
      ],
      [
        'an unknown permission',
        client.hosting({ party, hosts: [[participant, 7]] }),
        'Unrecognized value `7` in enum field `UNRECOGNIZED`',
      ],
      [
        'an empty list of keys',
        client.hosting({ party, keys: [] }),
        'Field `Sequence keys not set or empty` is not set',
      ],
      [
        'too many keys',
        client.hosting({ party, keys: many }),
        'Invalid PartyToParticipant: At most 20 key(s) can be specified, got 21.',
      ],
      [
        'a key twice',
        client.hosting({ party, keys: [{ signer }, { signer }] }),
        `All signing keys must be unique. Duplicate keys: List(${short(signer.fingerprint)})`,
      ],
      [
        'a delegation to a key that is not for this',
        transaction(namespaceDelegation(signer.fingerprint, { signer, usages: [usage.protocol] })),
        `The key ${short(signer.fingerprint)} must include a namespace usage.`,
      ],
      [
        'a root that may not delegate',
        transaction(namespaceDelegation(signer.fingerprint, { signer }, 5)),
        `Root certificate for ${short(signer.fingerprint)} needs to be be able to sign other NamespaceDelegations`,
      ],
      [
        'a namespace without owners',
        transaction(decentralizedNamespace(signer.fingerprint, 1, [])),
        'Invariant violation in field `owners`: cannot be empty',
      ],
      [
        'a namespace with too few owners',
        transaction(decentralizedNamespace('1220ab', 2, [signer.fingerprint])),
        'Invalid threshold (2) for 1220ab with 1 owners',
      ],
    ]
    for (const [title, bytes, want] of cases) {
      const wanted = badField('onboarding_transactions.transaction', `Invalid transaction: ${want}`)
      assert.deepEqual(refusalOf(await client.send([{ bytes, signers: [signer] }])), wanted, title)
    }
  })
})
