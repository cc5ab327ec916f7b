// External parties and interactive submission. Each side has its own keys to sign with, because what is signed differs.

import { doing, target as targetArguments } from '../../../test/fixtures/ledger.ts'
import { createSigner } from '../../../test/fixtures/signer.ts'
import type { Both, Json } from '../both.ts'
import { mutationsOf } from '../mutations.ts'
import { exercise, right, target, type World } from '../world.ts'

const preparePath = '/v2/interactive-submission/prepare'

export async function interactiveSession(world: World): Promise<void> {
  const { both, synchronizers, everything, newId } = world
  const signer = createSigner()
  const party = await onboard(world, signer)
  if (party === undefined) return
  await both.post('/v2/users/app/rights', {
    userId: 'app',
    rights: [right('CanExecuteAs', party), right('CanReadAs', party)],
  })
  const command = { CreateCommand: { templateId: target, createArguments: targetArguments([party]) } }
  const request = () => ({
    userId: 'app',
    commandId: newId('signed'),
    commands: [command],
    actAs: [party],
    synchronizerId: synchronizers[0],
    packageIdSelectionPreference: [],
    verboseHashing: false,
  })
  for (const { note, body } of mutationsOf(request())) await both.call('POST', preparePath, { as: 'app', body, note })
  for (const path of ['execute', 'executeAndWait', 'executeAndWaitForTransaction']) {
    const prepared = await both.call('POST', preparePath, { as: 'app', body: request() })
    type Change = (body: Json) => unknown
    const executionOf = (side: 'ours' | 'canton', submissionId: string, change: Change = (body) => body) => {
      const { preparedTransaction, preparedTransactionHash, hashingSchemeVersion } = prepared[side].json as Json
      const who = side === 'ours' ? party : both.ids.toCanton(party)
      const signatures = [signer.sign(Buffer.from(preparedTransactionHash ?? '', 'base64'))]
      const body = {
        preparedTransaction,
        hashingSchemeVersion,
        userId: 'app',
        submissionId,
        deduplicationPeriod: { Empty: {} },
        partySignatures: { signatures: [{ party: who, signatures }] },
        ...(path === 'executeAndWaitForTransaction' && {
          transactionFormat: side === 'ours' ? everything : both.ids.jsonToCanton(everything),
        }),
      }
      return change(body)
    }
    const call = (note: string, change?: Change) => {
      const submissionId = newId('submission')
      const bodyOf = (side: 'ours' | 'canton') => executionOf(side, submissionId, change)
      return both.call('POST', `/v2/interactive-submission/${path}`, { as: 'app', note, bodyOf })
    }
    if (prepared.ours.status !== 200 || prepared.canton.status !== 200) return
    await wrongExecutions(call)
    await call('as it should be')
    await call('again')
    await both.get('/v2/state/ledger-end')
  }
  await archivedMeanwhile(world, signer, party, request)
  await both.post(preparePath, { ...request(), actAs: [world.alice] }, { as: 'app' })
  await both.post(preparePath, { ...request(), actAs: [] }, { as: 'app' })
  await both.post(preparePath, { ...request(), synchronizerId: 'x' }, { as: 'app' })
}

/** Two signed transactions archive one contract: the second is rejected by the participant. */
async function archivedMeanwhile(
  { both, alice, create, newId }: World,
  signer: ReturnType<typeof createSigner>,
  party: string,
  request: () => object,
): Promise<void> {
  const createArguments = targetArguments([alice], { observers: [party] })
  const contractId = await create({ CreateCommand: { templateId: target, createArguments } }, { actAs: [alice] })
  const commands = [exercise(target, contractId, 'Consume', doing([party]))]
  const prepared = []
  for (const _ of [1, 2]) {
    prepared.push(await both.call('POST', preparePath, { as: 'app', body: { ...request(), commands } }))
  }
  for (const answers of prepared) {
    if (answers.ours.status !== 200 || answers.canton.status !== 200) return
    const submissionId = newId('submission')
    const bodyOf = (side: 'ours' | 'canton') => {
      const { preparedTransaction, preparedTransactionHash, hashingSchemeVersion } = answers[side].json as Json
      const signatures = [signer.sign(Buffer.from(preparedTransactionHash, 'base64'))]
      const who = side === 'ours' ? party : both.ids.toCanton(party)
      return {
        preparedTransaction,
        hashingSchemeVersion,
        userId: 'app',
        submissionId,
        deduplicationPeriod: { Empty: {} },
        partySignatures: { signatures: [{ party: who, signatures }] },
      }
    }
    const path = '/v2/interactive-submission/executeAndWait'
    await both.call('POST', path, { as: 'app', note: 'archives a contract', bodyOf })
  }
}

async function wrongExecutions(call: (note: string, change?: (body: Json) => unknown) => Promise<unknown>) {
  const sample = {
    preparedTransaction: '',
    hashingSchemeVersion: '',
    userId: '',
    submissionId: '',
    partySignatures: {},
  }
  for (const field of Object.keys(sample)) {
    for (const value of [undefined, null, '', 'x', 5, {}]) {
      await call(`${field} is ${JSON.stringify(value)}`, (body) => ({ ...body, [field]: value }))
    }
  }
  await call('no signatures', (body) => ({ ...body, partySignatures: { signatures: [] } }))
  await call('a wrong signature', (body) => {
    const copy = structuredClone(body)
    copy.partySignatures.signatures[0].signatures[0].signature = Buffer.alloc(64, 1).toString('base64')
    return copy
  })
  await call('a wrong format', (body) => {
    const copy = structuredClone(body)
    copy.partySignatures.signatures[0].signatures[0].format = 'SIGNATURE_FORMAT_RAW'
    return copy
  })
  await call('an unknown key', (body) => {
    const copy = structuredClone(body)
    copy.partySignatures.signatures[0].signatures[0].signedBy = `1220${'ab'.repeat(32)}`
    return copy
  })
}

/** An external party with the keys of the signer. */
export async function onboard(
  { both, synchronizers }: World,
  signer: ReturnType<typeof createSigner>,
  partyHint = 'external',
): Promise<string | undefined> {
  const request = { synchronizer: synchronizers[0], partyHint, publicKey: signer.publicKey }
  if (partyHint === 'external') await refusedTopologies(both, request)
  const generated = await both.call('POST', '/v2/parties/external/generate-topology', { body: request })
  const bodyOf = (side: 'ours' | 'canton', isSigned = true) => {
    const { topologyTransactions, multiHash } = generated[side].json as Json
    return {
      synchronizer: side === 'ours' ? synchronizers[0] : both.ids.toCanton(synchronizers[0]!),
      onboardingTransactions: topologyTransactions.map((transaction: string) => ({ transaction })),
      multiHashSignatures: isSigned ? [signer.sign(Buffer.from(multiHash, 'base64'))] : [],
    }
  }
  if (generated.ours.status !== 200 || generated.canton.status !== 200) return undefined
  const path = '/v2/parties/external/allocate'
  await both.call('POST', path, { bodyOf: (side) => bodyOf(side, false), note: 'unsigned' })
  const { json } = await both.call('POST', path, { bodyOf: (side) => bodyOf(side), note: 'signed' })
  if (partyHint === 'external') await both.call('POST', path, { bodyOf: (side) => bodyOf(side), note: 'again' })
  return json?.partyId
}

async function refusedTopologies(both: Both, request: object): Promise<void> {
  for (const { note, body } of mutationsOf({
    ...request,
    localParticipantObservationOnly: false,
    confirmationThreshold: 1,
  })) {
    await both.call('POST', '/v2/parties/external/generate-topology', { body, note })
  }
}
