// What a request to host an external party leaves for later ones, over HTTP and gRPC: proposals, which others sign one
// after the other, and certificates of namespaces.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { decentralizedNamespaceOf, transactionHash } from '../../src/ledger/topology/mappings.ts'
import { answerFrom, openGrpc, requestBytes } from '../fixtures/grpc.ts'
import { startTestLedger } from '../fixtures/ledger.ts'
import { refusalOf, startTestNode, stores, type TestNode } from '../fixtures/node.ts'
import {
  allocatePath,
  bare,
  base64,
  createOnboardingClient,
  invalid,
  type OnboardingClient,
  type Sent,
  short,
} from '../fixtures/onboarding.ts'
import { createSigner, type Signer } from '../fixtures/signer.ts'
import {
  decentralizedNamespace,
  namespaceDelegation,
  partyToKeyMapping,
  transaction,
  usage,
} from '../fixtures/topology.ts'
import { startTwoNodes } from '../fixtures/two-nodes.ts'

/** A delegation's restriction to everything but further delegations. */
const allButDelegations = 5

const certificateOf = (signer: Signer): Sent => ({
  bytes: transaction(namespaceDelegation(signer.fingerprint, { signer })),
  signers: [signer],
})

/** A namespace of several owners, with everything that makes it known. */
function groupOf(owners: readonly Signer[], threshold: number) {
  const names = owners.map(({ fingerprint }) => fingerprint)
  const namespace = decentralizedNamespaceOf(names)
  const definition: Sent = { bytes: transaction(decentralizedNamespace(namespace, threshold, names)), signers: owners }
  return { namespace, definition, certificates: [...owners.map(certificateOf), definition] }
}

const versionOf = async (client: OnboardingClient, party: string) =>
  (await client.detailsOf(party))?.localMetadata.resourceVersion

for (const store of stores) {
  describe(`proposals and certificates on ${store}`, () => {
    let node: TestNode
    let client: OnboardingClient

    before(async () => {
      node = await startTestNode({ store })
      client = await createOnboardingClient(node)
    })
    after(() => node[Symbol.asyncDispose]())

    test('signatures are added to a proposal until it is complete', async () => {
      const owners = [createSigner(), createSigner('SIGNING_KEY_SPEC_EC_P256'), createSigner()]
      const key = createSigner()
      const { namespace, certificates } = groupOf(owners, 2)
      const party = `ann::${namespace}`
      const bytes = client.hosting({ party, keys: [{ signer: key }] })
      const steps: Sent[][] = [
        [...certificates, { bytes, signers: [owners[0]!] }],
        [{ bytes, signers: [] }],
        [{ bytes, signers: [key] }],
        [{ bytes, signers: [owners[0]!, key] }], // Nothing new.
      ]
      for (const step of steps) {
        assert.deepEqual((await client.send(step)).json, { partyId: party })
        assert.equal(await client.detailsOf(party), undefined)
        await node.restart()
      }
      assert.deepEqual((await client.send([{ bytes, signers: [owners[2]!] }])).json, { partyId: party })
      // Each request before was a change of the party's record.
      assert.equal(await versionOf(client, party), '4')
    })

    test('a proposal is completed by the signature of the namespace, which must be complete then', async () => {
      const [ruler, first, second] = [createSigner(), createSigner(), createSigner()]
      const party = `ben::${ruler.fingerprint}`
      const bytes = client.hosting({ party, keys: [{ signer: ruler }, { signer: first }, { signer: second }] })
      assert.equal((await client.send([{ bytes, signers: [first] }])).status, 200)
      assert.deepEqual(
        refusalOf(await client.send([{ bytes, signers: [ruler] }])),
        bare(
          `Topology transaction is missing authorizations by namespaces=Set() and keys=Set(${short(second.fingerprint)})`,
        ),
      )
      // Refused, so the signature of the namespace was not kept.
      assert.equal((await client.send([{ bytes, signers: [second] }])).status, 200)
      assert.equal(await client.detailsOf(party), undefined)
      assert.equal((await client.send([{ bytes, signers: [ruler] }])).status, 200)
      assert.equal(await versionOf(client, party), '2')
    })

    test('a wrong signature adds nothing to a proposal, nor does one of another transaction', async () => {
      const [ruler, key] = [createSigner(), createSigner()]
      const party = `cid::${ruler.fingerprint}`
      const keys = [{ signer: ruler }, { signer: key }]
      const bytes = client.hosting({ party, keys })
      const other = client.hosting({ party, keys, keyThreshold: 2 })
      const forged = { ...createSigner().sign(transactionHash(bytes)), signedBy: key.fingerprint }
      assert.equal((await client.send([{ bytes }])).status, 200)
      const answer = await client.allocate({
        onboardingTransactions: [{ transaction: base64(bytes), signatures: [forged] }],
      })
      assert.deepEqual(refusalOf(answer), bare('Transaction signature verification failed'))
      assert.equal((await client.send([{ bytes: other, signers: [key] }])).status, 200)
      const missing = `Topology transaction is missing authorizations by namespaces=Set() and keys=Set(${short(key.fingerprint)})`
      assert.deepEqual(refusalOf(await client.send([{ bytes, signers: [ruler] }])), bare(missing))
      assert.equal((await client.send([{ bytes: other, signers: [ruler] }])).status, 200)
      assert.equal(await versionOf(client, party), '2')
    })

    test('a key that is not known yet does not count later', async () => {
      const [owner, other, delegate, key] = [createSigner(), createSigner(), createSigner(), createSigner()]
      const { namespace, certificates } = groupOf([owner, other], 1)
      const delegation = { bytes: transaction(namespaceDelegation(owner.fingerprint, { signer: delegate })) }
      const party = `dan::${namespace}`
      const bytes = client.hosting({ party, keys: [{ signer: key }] })
      assert.equal((await client.send([...certificates, { bytes, signers: [key, delegate] }])).status, 200)
      const again = [...certificates, { ...delegation, signers: [owner] }]
      assert.equal((await client.send([...again, { bytes, signers: [] }])).status, 200)
      assert.equal(await client.detailsOf(party), undefined)
      assert.equal((await client.send([{ bytes, signers: [delegate] }])).status, 200)
      assert.equal(await versionOf(client, party), '2')
    })

    test('the keys of a party in a separate mapping are signed for one after the other, too', async () => {
      const owners = [createSigner(), createSigner()]
      const key = createSigner()
      const { namespace, certificates } = groupOf(owners, 2)
      const party = `eve::${namespace}`
      const bytes = client.hosting({ party })
      const mapping = transaction(partyToKeyMapping(party, 1, [{ signer: key, usages: [usage.protocol] }]))
      const step = (owner: Signer, signers: Signer[]) => [
        { bytes, signers: [owner] },
        { bytes: mapping, signers: [owner, ...signers] },
      ]
      assert.equal((await client.send([...certificates, ...step(owners[0]!, [key])])).status, 200)
      assert.equal(await client.detailsOf(party), undefined)
      assert.equal((await client.send(step(owners[1]!, []))).status, 200)
      assert.equal(await versionOf(client, party), '1')
    })

    test('certificates are known to later parties of the namespace', async () => {
      const [ruler, key] = [createSigner(), createSigner()]
      const hosting = (hint: string) => ({
        bytes: client.hosting({ party: `${hint}::${ruler.fingerprint}`, keys: [{ signer: key }] }),
        signers: [ruler, key],
      })
      const missing = `Topology transaction is missing authorizations by namespaces=Set(${short(ruler.fingerprint)}) and keys=Set()`
      assert.deepEqual(refusalOf(await client.send([hosting('first')])), bare(missing))
      assert.equal((await client.send([certificateOf(ruler), hosting('first')])).status, 200)
      await node.restart()
      assert.equal((await client.send([hosting('second')])).status, 200)
      assert.equal(await versionOf(client, `second::${ruler.fingerprint}`), '0')
      assert.equal((await client.send([certificateOf(ruler), hosting('third')])).status, 200, 'it may be sent again')
    })

    test('delegated keys sign for later parties, as far as the delegation goes', async () => {
      const owners = [createSigner(), createSigner()]
      const [delegate, key] = [createSigner(), createSigner()]
      const owner = owners[0]!
      const { namespace, certificates } = groupOf(owners, 1)
      const delegation = {
        bytes: transaction(namespaceDelegation(owner.fingerprint, { signer: delegate }, allButDelegations)),
        signers: [owner],
      }
      const hosting = (party: string, signers: Signer[]) => ({
        bytes: client.hosting({ party, keys: [{ signer: key }] }),
        signers,
      })
      const first = hosting(`fay::${namespace}`, [])
      assert.equal((await client.send([...certificates, delegation, first])).status, 200)
      for (const party of [`gil::${namespace}`, `hal::${owner.fingerprint}`]) {
        assert.equal((await client.send([hosting(party, [delegate, key])])).status, 200)
        assert.equal(await versionOf(client, party), '0')
      }
      const stranger = hosting(`ira::${owners[1]!.fingerprint}`, [delegate, key])
      assert.equal((await client.send([stranger])).status, 200)
      assert.equal(await client.detailsOf(`ira::${owners[1]!.fingerprint}`), undefined)
    })

    test('another certificate of the same key is refused', async () => {
      const owners = [createSigner(), createSigner()]
      const key = createSigner()
      const { namespace, definition, certificates } = groupOf(owners, 1)
      const names = owners.map(({ fingerprint }) => fingerprint)
      const other = { bytes: transaction(decentralizedNamespace(namespace, 2, names)), signers: owners }
      const hosting = { bytes: client.hosting({ party: `jan::${namespace}`, keys: [{ signer: key }] }), signers: [key] }
      assert.equal((await client.send([...certificates, hosting])).status, 200)
      const mismatch = bare(
        'The provided serial Some(1) did not match the expected serial Some(2).',
        400,
        'FAILED_PRECONDITION',
      )
      const narrower = namespaceDelegation(names[0]!, { signer: owners[0]!, usages: [usage.namespace] })
      assert.deepEqual(refusalOf(await client.send([other, hosting])), mismatch)
      const replaced = { bytes: transaction(narrower), signers: [owners[0]!] }
      assert.deepEqual(refusalOf(await client.send([replaced, definition, hosting])), mismatch)
      assert.equal((await client.send([definition, { ...hosting, signers: [owners[1]!] }])).status, 200)
      assert.equal(await versionOf(client, `jan::${namespace}`), '1')
    })

    test('each synchronizer has its own proposals and certificates', async () => {
      const { json } = await node.call('GET', '/v2/state/connected-synchronizers')
      const [, elsewhere] = json.connectedSynchronizers.map((one: { synchronizerId: string }) => one.synchronizerId)
      const [ruler, key] = [createSigner(), createSigner()]
      const party = `kay::${ruler.fingerprint}`
      const bytes = client.hosting({ party, keys: [{ signer: key }] })
      const signed = (signers: Signer[]) => ({
        onboardingTransactions: [
          { transaction: base64(bytes), signatures: signers.map((signer) => signer.sign(transactionHash(bytes))) },
        ],
      })
      assert.equal((await client.allocate({ ...signed([key]), synchronizer: elsewhere })).status, 200)
      const refused = await client.send([certificateOf(ruler), { bytes, signers: [ruler] }])
      assert.match(refused.json.cause, /missing authorizations by namespaces=Set\(\) and keys=Set\(1220/)
      assert.equal((await client.send([certificateOf(ruler), { bytes, signers: [ruler, key] }])).status, 200)
      assert.equal(await versionOf(client, party), '1', 'of one record')
      assert.equal((await client.allocate({ ...signed([]), synchronizer: elsewhere })).status, 200)
      assert.equal(await versionOf(client, party), '2')
      const unknown = await client.allocate({ ...signed([ruler]), synchronizer: elsewhere })
      assert.match(unknown.json.cause, /missing authorizations by namespaces=Set\(1220/)
    })

    test('what is kept is bounded', async () => {
      const [ruler, owner, key] = [createSigner(), createSigner(), createSigner()]
      const party = `leo::${ruler.fingerprint}`
      const proposals = Array.from({ length: 11 }, (_, index) => {
        const keys = [{ signer: ruler }, ...Array.from({ length: index }, () => ({ signer: createSigner() }))]
        return { bytes: client.hosting({ party, keys }) }
      })
      for (const one of proposals.slice(0, 10)) assert.equal((await client.send([one])).status, 200)
      assert.deepEqual(
        refusalOf(await client.send([proposals[10]!])),
        invalid('A user can propose at most 10 ways to host a party'),
      )
      assert.equal((await client.send([proposals[0]!])).status, 200, 'one more request for a known proposal')
      assert.equal((await client.send([{ ...proposals[0]!, signers: [ruler] }])).status, 200)
      assert.equal(await versionOf(client, party), '11')

      const other = createSigner()
      const { namespace, certificates } = groupOf([owner, other], 1)
      const hosting = { bytes: client.hosting({ party: `moe::${namespace}`, keys: [{ signer: key }] }) }
      const delegation = (padding = ''): Sent => {
        const mapping = namespaceDelegation(owner.fingerprint, { signer: createSigner() })
        const bytes = Buffer.concat([transaction(mapping), unknownField(padding)])
        return { bytes, signers: [owner] }
      }
      const delegations = Array.from({ length: 9 }, () => delegation())
      assert.deepEqual(
        refusalOf(await client.send([...certificates, delegation('x'.repeat(4096)), hosting])),
        invalid('A certificate can have at most 4096 bytes'),
      )
      assert.equal((await client.send([...certificates, ...delegations.slice(0, 8), hosting])).status, 200)
      assert.equal((await client.send([...certificates, delegations[8]!, hosting])).status, 200)
      assert.deepEqual(
        refusalOf(await client.send([...certificates, delegation(), hosting])),
        invalid('A namespace can have at most 10 certificates'),
      )
      const many = Array.from({ length: 26 }, () => createSigner())
      const crowd = groupOf(many, 1)
      const answer = await client.send([
        crowd.definition,
        { bytes: client.hosting({ party: `ned::${crowd.namespace}`, keys: [{ signer: key }] }) },
      ])
      assert.match(answer.json.cause, /Invalid transaction: At most 25 owner\(s\) can be specified, got 26\./)
    })
  })
}

/** A field that no reader knows. */
function unknownField(text: string): Buffer {
  if (text === '') return Buffer.alloc(0)
  const length = Buffer.byteLength(text)
  return Buffer.concat([Buffer.from([0xfa, 0x01, (length & 127) | 128, length >> 7]), Buffer.from(text)])
}

describe('proposals', () => {
  test('that came over HTTP are completed over gRPC, and the other way round', async () => {
    await using node = await startTestNode({ settings: { grpc: { port: 0 } } })
    const client = await createOnboardingClient(node)
    await using grpc = openGrpc(node.node.grpcUrl!, node.adminToken)
    const method = '/com.daml.ledger.api.v2.admin.PartyManagementService/AllocateExternalParty'
    const [ruler, key] = [createSigner(), createSigner()]
    const party = `oda::${ruler.fingerprint}`
    const bytes = client.hosting({ party, keys: [{ signer: ruler }, { signer: key }] })
    const send = async (signers: Signer[]) => {
      const signatures = signers.map((signer) => signer.sign(transactionHash(bytes)))
      const onboardingTransactions = [{ transaction: base64(bytes), signatures }]
      const request = { synchronizer: client.synchronizer, onboardingTransactions }
      const { code, message, messages } = await grpc.call(method, requestBytes(method, request))
      return { code, message, answer: messages[0] && answerFrom(method, messages[0]) }
    }
    assert.deepEqual((await send([key])).answer, { partyId: party })
    assert.equal((await client.send([{ bytes, signers: [key] }])).status, 200)
    assert.equal(await client.detailsOf(party), undefined)
    assert.deepEqual((await send([ruler])).answer, { partyId: party })
    assert.equal(await versionOf(client, party), '2')
  })

  test('count to the quota of a user until the party exists', async () => {
    await using node = await startTestNode({ settings: { limits: { selfAllocatedPartiesMax: 2 } } })
    const client = await createOnboardingClient(node)
    for (const id of ['pat', 'quy']) await node.call('POST', '/v2/users', { body: { user: { id } } })
    const allocate = async (userId: string, ruler: Signer, signers: Signer[]) => {
      const bytes = client.hosting({ party: `rob::${ruler.fingerprint}`, keys: [{ signer: ruler }] })
      const signatures = signers.map((signer) => signer.sign(transactionHash(bytes)))
      const onboardingTransactions = [{ transaction: base64(bytes), signatures }]
      const body = { synchronizer: client.synchronizer, userId, onboardingTransactions }
      return node.call('POST', allocatePath, { token: await node.token(userId), body })
    }
    const [first, second, third] = [createSigner(), createSigner(), createSigner()]
    const exhausted = [403, 'NA', 'User quota of party allocations exhausted']
    for (const ruler of [first, second]) assert.equal((await allocate('pat', ruler, [])).status, 200)
    assert.deepEqual(refusalOf(await allocate('pat', third, [])), exhausted)
    const token = await node.token('pat')
    assert.equal((await node.call('POST', '/v2/parties', { token, body: { userId: 'pat' } })).status, 403)
    assert.equal((await allocate('pat', first, [])).status, 200, 'it may go on with what it proposed')
    assert.equal((await allocate('pat', second, [second])).status, 200)
    assert.deepEqual(refusalOf(await allocate('pat', third, [])), exhausted)
    assert.equal((await allocate('quy', first, [first])).status, 200, 'another user completes the first')
    assert.equal((await allocate('pat', third, [])).status, 200, 'which is no proposal any more')
  })

  test('come back with a snapshot, as certificates do', async () => {
    await using ledger = await startTestLedger({ store: 'sqlite' })
    const { node } = ledger
    const client = await createOnboardingClient(node)
    const [ruler, key] = [createSigner(), createSigner()]
    const bytesOf = (hint: string) =>
      client.hosting({ party: `${hint}::${ruler.fingerprint}`, keys: [{ signer: key }] })
    const known = { bytes: bytesOf('sam'), signers: [ruler, key] }
    assert.equal((await client.send([certificateOf(ruler), known])).status, 200)
    assert.equal((await client.send([{ bytes: bytesOf('tim'), signers: [key] }])).status, 200)
    assert.equal((await node.call('POST', '/dev/snapshots', { body: { name: 'proposed' } })).status, 200)
    const complete = () => client.send([certificateOf(ruler), { bytes: bytesOf('tim'), signers: [ruler] }])
    for (const _ of [1, 2]) {
      assert.equal(await client.detailsOf(`tim::${ruler.fingerprint}`), undefined)
      assert.equal((await complete()).status, 200)
      assert.equal(await versionOf(client, `tim::${ruler.fingerprint}`), '1')
      assert.equal((await node.call('POST', '/dev/snapshots/proposed/restore')).status, 200)
    }
    assert.equal((await client.send([{ bytes: bytesOf('uma'), signers: [ruler, key] }])).status, 200)
    assert.equal(await versionOf(client, `uma::${ruler.fingerprint}`), '0')
  })

  test('made at one of two nodes are completed at the other', async () => {
    await using nodes = await startTwoNodes()
    const [here, there] = [await createOnboardingClient(nodes.a.node), await createOnboardingClient(nodes.b)]
    const [ruler, key] = [createSigner(), createSigner()]
    const party = `vic::${ruler.fingerprint}`
    const bytes = here.hosting({ party, keys: [{ signer: ruler }, { signer: key }] })
    assert.equal((await here.send([{ bytes, signers: [key] }])).status, 200)
    assert.equal((await there.send([{ bytes, signers: [ruler] }])).status, 200)
    assert.equal(await versionOf(there, party), '1')
    assert.equal(await versionOf(here, party), '1')
  })
})
