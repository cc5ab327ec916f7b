// External parties over HTTP, on both databases: the generated topology, who must sign it, and that only the party
// submits for itself. Other refusals are in external-party-refusals.test.ts.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { decentralizedNamespaceOf, multiHash, transactionHash } from '../../src/ledger/topology/mappings.ts'
import { refusalOf, startTestNode, stores, type TestNode } from '../fixtures/node.ts'
import {
  allocatePath,
  bare,
  base64,
  createOnboardingClient,
  generatePath,
  invalid,
  type OnboardingClient,
  type Sent,
  short,
} from '../fixtures/onboarding.ts'
import { createSigner, keySpecs, type Signer } from '../fixtures/signer.ts'
import {
  decentralizedNamespace,
  type HostingOf,
  type KeyOf,
  namespaceDelegation,
  partyToKeyMapping,
  transaction,
  usage,
} from '../fixtures/topology.ts'

for (const store of stores) {
  describe(`external parties on ${store}`, () => {
    let node: TestNode
    let client: OnboardingClient
    let synchronizer: string
    let participant: string

    before(async () => {
      node = await startTestNode({ store })
      client = await createOnboardingClient(node)
      ;({ synchronizer, participant } = client)
    })
    after(() => node[Symbol.asyncDispose]())

    for (const keySpec of keySpecs) {
      test(`a party with a key of ${keySpec} is onboarded, and survives a restart`, async () => {
        const signer = createSigner(keySpec)
        const generated = await client.generate({ partyHint: 'alice', publicKey: signer.publicKey })
        const party = `alice::${signer.fingerprint}`
        assert.equal(generated.json.partyId, party)
        assert.equal(generated.json.publicKeyFingerprint, signer.fingerprint)
        assert.deepEqual(await client.detailsOf(party), undefined)
        const answer = await client.onboard(signer, 'alice')
        assert.deepEqual([answer.status, answer.text], [200, JSON.stringify({ partyId: party })])
        await node.restart()
        const details = { party, isLocal: true, localMetadata: { resourceVersion: '0', annotations: {} } }
        assert.deepEqual(await client.detailsOf(party), { ...details, identityProviderId: '' })
        assert.deepEqual(
          refusalOf(await client.onboard(signer, 'alice')),
          invalid(`Party ${short(party)} already exists on synchronizer ${short(synchronizer)}`),
        )
        assert.equal((await client.onboard(signer, 'alice-too')).status, 200)
      })
    }

    test('the topology equals that of Canton byte by byte', async () => {
      const signer = createSigner()
      const { json } = await client.generate({ partyHint: 'a', publicKey: signer.publicKey })
      const hex = (text: string) => Buffer.from(text).toString('hex')
      const field = (tag: string, content: string) => {
        const length = content.length / 2
        const varint = length < 128 ? [length] : [(length & 127) | 128, length >> 7]
        return `${tag}${Buffer.from(varint).toString('hex')}${content}`
      }
      const key = `1004${field('1a', signer.keyData.toString('hex'))}2a030105043001`
      const host = `${field('0a', hex(participant))}1002`
      const mapping = `${field('0a', hex(json.partyId))}1001${field('1a', host)}${field('32', `${field('0a', key)}1001`)}`
      const inner = `08011001${field('1a', field('4a', mapping))}`
      const bytes = Buffer.from(`${field('0a', inner)}101e`, 'hex')
      assert.deepEqual(json.topologyTransactions, [bytes.toString('base64')])
      assert.equal(json.multiHash, base64(multiHash([transactionHash(bytes)])))
    })

    test('a raw Ed25519 key and a raw signature work as well', async () => {
      const signer = createSigner()
      const publicKey = {
        format: 'CRYPTO_KEY_FORMAT_RAW',
        keyData: signer.keyData.subarray(-32).toString('base64'),
        keySpec: signer.keySpec,
      }
      const { json } = await client.generate({ partyHint: 'raw', publicKey })
      const signature = { ...signer.sign(Buffer.from(json.multiHash, 'base64')), format: 'SIGNATURE_FORMAT_RAW' }
      const answer = await client.allocate({
        onboardingTransactions: [{ transaction: json.topologyTransactions[0] }],
        multiHashSignatures: [signature],
        waitForAllocation: false,
      })
      assert.deepEqual(answer.json, { partyId: `raw::${signer.fingerprint}` })
    })

    test('other participants and thresholds are generated, but unknown participants are refused', async () => {
      const signer = createSigner()
      const others = { otherConfirmingParticipantUids: ['two::1220ab'], observingParticipantUids: ['three::1220cd'] }
      const cases: [object, HostingOf['hosts'], threshold: number][] = [
        [
          others,
          [
            [participant, 2],
            ['two::1220ab', 2],
            ['three::1220cd', 3],
          ],
          2,
        ],
        [
          { ...others, confirmationThreshold: 1 },
          [
            [participant, 2],
            ['two::1220ab', 2],
            ['three::1220cd', 3],
          ],
          1,
        ],
        [
          { ...others, localParticipantObservationOnly: true },
          [
            [participant, 3],
            ['two::1220ab', 2],
            ['three::1220cd', 3],
          ],
          1,
        ],
      ]
      for (const [request, hosts, threshold] of cases) {
        const { json } = await client.generate({ partyHint: 'many', publicKey: signer.publicKey, ...request })
        const keys: KeyOf[] = [{ signer, usages: [usage.namespace, usage.ownership, usage.protocol] }]
        const expected = client.hosting({ party: json.partyId, threshold, hosts, keys })
        const parsed = await client.send([{ bytes: expected, signers: [signer] }])
        const answer = await client.allocate({
          onboardingTransactions: [{ transaction: json.topologyTransactions[0] }],
          multiHashSignatures: [signer.sign(Buffer.from(json.multiHash, 'base64'))],
        })
        const unknown = bare('Members PAR::three::1220cd, PAR::two::1220ab are unknown.', 404, 'NOT_FOUND')
        assert.deepEqual([refusalOf(parsed), refusalOf(answer)], [unknown, unknown])
      }
    })

    test('every key signs for itself, and the namespace for the party', async () => {
      const [ruler, first, second] = [createSigner(), createSigner('SIGNING_KEY_SPEC_EC_P256'), createSigner()]
      const party = `heidi::${ruler.fingerprint}`
      const both = { keys: [{ signer: ruler }, { signer: first }], keyThreshold: 2 }
      const apart = { keys: [{ signer: first, usages: [usage.protocol] }] }
      const certificate = transaction(namespaceDelegation(ruler.fingerprint, { signer: ruler }))
      const missing = (namespaces: Signer[], keys: Signer[]) => {
        const names = (signers: Signer[]) => signers.map(({ fingerprint }) => short(fingerprint)).join(', ')
        return bare(
          `Topology transaction is missing authorizations by namespaces=Set(${names(namespaces)}) and keys=Set(${names(keys)})`,
        )
      }
      const unsigned = { bytes: client.hosting({ party, ...apart }), signers: [first] }
      assert.deepEqual(
        refusalOf(await client.send([{ bytes: client.hosting({ party, ...both }), signers: [ruler] }])),
        missing([], [first]),
      )
      assert.deepEqual(
        refusalOf(await client.send([{ bytes: certificate, signers: [ruler] }, unsigned])),
        missing([ruler], []),
      )
      assert.deepEqual(
        refusalOf(
          await client.send([
            { bytes: certificate, signers: [ruler] },
            { ...unsigned, signers: [ruler, second] },
          ]),
        ),
        missing([], [first]),
      )
      assert.equal(await client.detailsOf(party), undefined)
      const answer = await client.send([{ bytes: certificate }, { ...unsigned }], [ruler])
      assert.deepEqual([answer.status, answer.json], [200, { partyId: party }])
      assert.equal((await client.detailsOf(party)).isLocal, true)
      const two = `heidi-too::${ruler.fingerprint}`
      assert.deepEqual((await client.send([{ bytes: client.hosting({ party: two, ...both }) }], [first, ruler])).json, {
        partyId: two,
      })
    })

    test('a party whose keys are in a separate mapping is onboarded', async () => {
      const [ruler, key] = [createSigner(), createSigner('SIGNING_KEY_SPEC_EC_SECP256K1')]
      const party = `ivan::${ruler.fingerprint}`
      const answer = await client.send(
        [
          { bytes: transaction(namespaceDelegation(ruler.fingerprint, { signer: ruler, usages: [usage.namespace] })) },
          { bytes: client.hosting({ party }) },
          {
            bytes: transaction(partyToKeyMapping(party, 1, [{ signer: key, usages: [usage.protocol] }])),
            signers: [key],
          },
        ],
        [ruler],
      )
      assert.deepEqual([answer.status, answer.json], [200, { partyId: party }])
    })

    test('a namespace of several owners needs as many signatures as its threshold', async () => {
      const owners = [createSigner(), createSigner('SIGNING_KEY_SPEC_EC_P384'), createSigner()]
      const key = createSigner()
      const names = owners.map(({ fingerprint }) => fingerprint)
      const namespace = decentralizedNamespaceOf(names)
      const party = `judy::${namespace}`
      const roots = owners.map((signer) => ({
        bytes: transaction(namespaceDelegation(signer.fingerprint, { signer })),
        signers: [signer],
      }))
      const definition = { bytes: transaction(decentralizedNamespace(namespace, 2, names)), signers: owners }
      const home = (signers: Signer[]) => ({ bytes: client.hosting({ party, keys: [{ signer: key }] }), signers })
      const foreign = createSigner().fingerprint
      const underived = transaction(decentralizedNamespace(foreign, 2, names))
      const cases: [title: string, transactions: Sent[], want: unknown[]][] = [
        [
          'an owner that did not sign',
          [...roots, { ...definition, signers: owners.slice(1) }, home([...owners, key])],
          bare(`Topology transaction is missing authorizations by namespaces=Set(${short(names[0]!)}) and keys=Set()`),
        ],
        [
          'a name that is not that of the owners',
          [
            ...roots,
            { bytes: underived, signers: owners },
            { bytes: client.hosting({ party: `judy::${foreign}`, keys: [{ signer: key }] }), signers: owners },
          ],
          bare(
            'The topology transaction was rejected due to an invalid mapping: The decentralized namespace ' +
              `${short(foreign)} is not derived from the owners List(${names.toSorted().map(short).join(', ')})`,
          ),
        ],
        [
          'unknown owners',
          [definition, home([...owners, key])],
          bare(
            'Topology transaction authorization cannot be verified due to missing namespace delegations for keys ' +
              names.map(short).join(', '),
          ),
        ],
      ]
      for (const [title, transactions, want] of cases) {
        assert.deepEqual(refusalOf(await client.send(transactions)), want, title)
      }
      // One owner is not enough: the result is a proposal, and there is no party yet.
      assert.deepEqual((await client.send([...roots, definition, home([owners[0]!, key])])).json, { partyId: party })
      assert.equal(await client.detailsOf(party), undefined)
      assert.deepEqual((await client.send([...roots, definition, home([owners[0]!, owners[2]!, key])])).json, {
        partyId: party,
      })
      assert.equal((await client.detailsOf(party)).isLocal, true)
    })

    test('a party is onboarded on each synchronizer separately', async () => {
      const { json } = await node.call('GET', '/v2/state/connected-synchronizers')
      const ids: string[] = json.connectedSynchronizers.map(
        ({ synchronizerId }: { synchronizerId: string }) => synchronizerId,
      )
      assert.equal(ids.length, 2)
      const [ruler, key] = [createSigner(), createSigner('SIGNING_KEY_SPEC_EC_P256')]
      const party = `quinn::${ruler.fingerprint}`
      const hostedOn = async () => {
        const { json } = await node.call('GET', `/v2/state/connected-synchronizers?party=${encodeURIComponent(party)}`)
        return json.connectedSynchronizers.map(({ synchronizerId }: { synchronizerId: string }) => synchronizerId)
      }
      for (const [index, keys] of [[ruler], [ruler, key]].entries()) {
        const bytes = client.hosting({ party, keys: keys.map((signer) => ({ signer })) })
        const signatures = keys.map((signer) => signer.sign(transactionHash(bytes)))
        const onboardingTransactions = [{ transaction: base64(bytes), signatures }]
        const answer = await client.allocate({ synchronizer: ids[index], onboardingTransactions })
        assert.deepEqual([answer.status, answer.json], [200, { partyId: party }])
        assert.equal((await client.detailsOf(party)).localMetadata.resourceVersion, String(index))
        assert.deepEqual((await hostedOn()).sort(), ids.slice(0, index + 1).sort())
        const again = await client.allocate({ synchronizer: ids[index], onboardingTransactions })
        assert.deepEqual(
          refusalOf(again),
          invalid(`Party ${short(party)} already exists on synchronizer ${short(ids[index]!)}`),
        )
      }
    })

    test('without the signature of the party there is only a proposal', async () => {
      const signer = createSigner()
      const party = `kim::${signer.fingerprint}`
      const bytes = client.hosting({ party, keys: [{ signer }] })
      for (const signers of [[], [createSigner()]]) {
        assert.deepEqual((await client.send([{ bytes, signers }])).json, { partyId: party })
        assert.equal(await client.detailsOf(party), undefined)
      }
      const proposed = { onboardingTransactions: [{ transaction: base64(bytes), signatures: [] }] }
      assert.equal((await client.allocate({ ...proposed, userId: 'participant_admin' })).status, 200)
      const { rights } = (await node.call('GET', '/v2/users/participant_admin/rights')).json
      assert.ok(!JSON.stringify(rights).includes(party), 'nor a right to act as it')
      assert.deepEqual((await client.send([{ bytes, signers: [signer] }])).json, { partyId: party })
      assert.equal((await client.detailsOf(party)).party, party)
    })

    test('a party in the namespace of the participant is refused', async () => {
      const signer = createSigner()
      const namespace = participant.split('::')[1]!
      const keys = [{ signer, usages: [usage.protocol] }]
      assert.deepEqual(
        refusalOf(await client.send([{ bytes: client.hosting({ party: participant, keys }), signers: [signer] }])),
        invalid(`Tried to allocate party ${short(participant)} with the same UID as an already existing admin party.`),
      )
      const forged = signer.sign(transactionHash(client.hosting({ party: `leo::${namespace}`, keys })))
      const answer = await client.allocate({
        onboardingTransactions: [
          {
            transaction: base64(client.hosting({ party: `leo::${namespace}`, keys })),
            signatures: [forged, { ...forged, signedBy: namespace }],
          },
        ],
      })
      assert.deepEqual(refusalOf(answer), bare('Transaction signature verification failed'))
    })

    test('the user gets the right to act, and the identity provider its parties', async () => {
      const signer = createSigner()
      await node.call('POST', '/v2/users', { body: { user: { id: 'mallory' } } })
      const { json } = await client.onboard(signer, 'mallory', { userId: 'mallory' })
      const rights = await node.call('GET', '/v2/users/mallory/rights')
      assert.deepEqual(rights.json.rights, [{ kind: { CanActAs: { value: { party: json.partyId } } } }])
      const config = {
        identityProviderId: 'acme',
        issuer: 'https://acme.example',
        jwksUrl: 'https://acme.example/keys',
      }
      await node.call('POST', '/v2/idps', { body: { identityProviderConfig: config } })
      const theirs = await client.onboard(createSigner(), 'niaj', { identityProviderId: 'acme' })
      const seen = await node.call('GET', `/v2/parties/${theirs.json.partyId}?identity-provider-id=acme`)
      assert.equal(seen.json.partyDetails[0].identityProviderId, 'acme')
      const token = await node.token('mallory')
      const refused = await node.call('POST', allocatePath, { token, body: { synchronizer, userId: 'mallory' } })
      assert.equal(refused.status, 400) // The caller may ask, but this is not a valid transaction.
      assert.equal((await node.call('POST', allocatePath, { token, body: { synchronizer } })).status, 403)
      const topology = { synchronizer, partyHint: 'a', publicKey: signer.publicKey }
      assert.equal((await node.call('POST', generatePath, { token, body: topology })).status, 200)
    })

    test('the participant confirms for an external party, but does not submit for it', async () => {
      const { partyId } = (await client.onboard(createSigner(), 'olivia')).json
      const local = await node.call('POST', '/v2/parties', { body: { partyIdHint: 'peggy' } })
      const peggy: string = local.json.partyDetails.party
      const permissionOf = async (party: string) => {
        const { json } = await node.call('GET', `/v2/state/connected-synchronizers?party=${encodeURIComponent(party)}`)
        return json.connectedSynchronizers.map(({ permission }: { permission: string }) => permission)
      }
      assert.deepEqual(await permissionOf(partyId), ['PARTICIPANT_PERMISSION_CONFIRMATION'])
      assert.equal((await permissionOf(peggy))[0], 'PARTICIPANT_PERMISSION_SUBMISSION')
      const rights = [partyId, peggy].map((party) => ({ kind: { CanActAs: { value: { party } } } }))
      const userId = 'participant_admin'
      await node.call('POST', `/v2/users/${userId}/rights`, { body: { userId, rights } })
      const submit = (owner: string, actAs: string[]) =>
        node.call('POST', '/v2/commands/submit-and-wait', {
          body: {
            commands: [{ CreateCommand: { templateId: '#quickstart:Wallet:Wallet', createArguments: { owner } } }],
            commandId: `${owner} ${actAs.length}`,
            userId,
            actAs,
          },
        })
      const code = 'NO_SYNCHRONIZER_ON_WHICH_ALL_SUBMITTERS_CAN_SUBMIT'
      const alone = await submit(partyId, [partyId])
      assert.deepEqual(refusalOf(alone), [
        404,
        code,
        'This participant cannot submit as the given submitter on any connected synchronizer',
      ])
      assert.equal(alone.json.context.unknownSubmitter, partyId)
      assert.deepEqual(refusalOf(await submit(peggy, [peggy, partyId])), [
        404,
        code,
        'Not connected to a synchronizer on which this participant can submit for all submitters',
      ])
      assert.equal((await submit(peggy, [peggy])).status, 200)
    })
  })
}
