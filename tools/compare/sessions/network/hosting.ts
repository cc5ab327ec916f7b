// External parties on several participants: their allocation, which waits for all hosts, and what they sign.
import { target } from '../../../../test/fixtures/ledger.ts'
import { createSigner, type Signer } from '../../../../test/fixtures/signer.ts'
import type { Json } from '../../both.ts'
import { effects, eventFormat, type Network, type Participant } from '../../network.ts'
import { completionsOf, endsOf, updatesOf } from './reads.ts'

const generatePath = '/v2/parties/external/generate-topology'
const allocatePath = '/v2/parties/external/allocate'

type Generated = { readonly ours: Json; readonly canton: Json; readonly party: string }

export async function hostingSession(network: Network): Promise<void> {
  const { all, sandbox, pebblebox, sidebox } = network
  const signer = createSigner()
  const beginOf = await endsOf(network)
  const two = { otherConfirmingParticipantUids: [pebblebox.id], confirmationThreshold: 2 }
  const generated = await generate(network, sandbox, 'two', signer, two)
  await allocate(network, sandbox, 'by the first of two hosts', generated, signer)
  await seen(network, generated.party)
  await allocate(network, sandbox, 'again', generated, signer)
  await generate(network, pebblebox, 'two', signer, { ...two, otherConfirmingParticipantUids: [sandbox.id] })
  await allocate(network, pebblebox, 'by the second host', generated, signer)
  await seen(network, generated.party)
  await allocate(network, pebblebox, 'once it exists', generated, signer)
  await allocate(network, sidebox, 'by another participant', generated, signer)
  for (const one of all) await execute(network, one, generated.party, signer)
  await others(network)
  await refusals(network, signer)
  for (const one of all) await updatesOf(one, beginOf(one))
}

async function others(network: Network): Promise<void> {
  const { sandbox, pebblebox, sidebox } = network
  const watched = createSigner()
  const observed = await generate(network, sandbox, 'watched', watched, { observingParticipantUids: [pebblebox.id] })
  await allocate(network, sandbox, 'by the confirming host', observed, watched)
  await allocate(network, pebblebox, 'by the observing host', observed, watched)
  await seen(network, observed.party)
  await execute(network, pebblebox, observed.party, watched)
  const away = createSigner()
  const local = { localParticipantObservationOnly: true, otherConfirmingParticipantUids: [pebblebox.id, sidebox.id] }
  const remote = await generate(network, sandbox, 'remote', away, local)
  for (const one of [sidebox, pebblebox, sandbox]) await allocate(network, one, 'in another order', remote, away)
  await seen(network, remote.party)
  await execute(network, sandbox, remote.party, away)
}

async function refusals(network: Network, signer: Signer): Promise<void> {
  const { sandbox, pebblebox, sidebox, first } = network
  const wrong: readonly object[] = [
    { otherConfirmingParticipantUids: [sandbox.id] },
    { otherConfirmingParticipantUids: [pebblebox.id], observingParticipantUids: [pebblebox.id] },
    { otherConfirmingParticipantUids: [pebblebox.id], confirmationThreshold: 3 },
    { otherConfirmingParticipantUids: ['nobody'] },
  ]
  for (const fields of wrong) await generate(network, sandbox, 'wrong', signer, fields)
  await generate(network, sidebox, 'not connected', signer, { synchronizer: first })
  const ghost = { otherConfirmingParticipantUids: [`ghost::${sandbox.id.split('::')[1]}`] }
  const generated = await generate(network, sandbox, 'haunted', signer, ghost)
  await allocate(network, sandbox, 'with a host that does not exist', generated, signer)
}

async function generate(
  { second }: Network,
  { both }: Participant,
  partyHint: string,
  { publicKey }: Signer,
  fields: object,
): Promise<Generated> {
  const body = { synchronizer: second, partyHint, publicKey, ...fields }
  const { ours, canton } = await both.call('POST', generatePath, { body, note: JSON.stringify(fields).slice(0, 60) })
  return { ours: ours.json, canton: canton.json, party: (ours.json as Json)?.partyId ?? 'nobody::1220' }
}

async function allocate(
  { second }: Network,
  { post, both }: Participant,
  note: string,
  generated: Generated,
  signer: Signer,
): Promise<void> {
  const bodyOf = (side: 'ours' | 'canton') => {
    const { topologyTransactions = [], multiHash = '' } = generated[side] ?? {}
    const onboardingTransactions = topologyTransactions.map((transaction: string) => ({ transaction }))
    const multiHashSignatures = [signer.sign(Buffer.from(multiHash, 'base64'))]
    const synchronizer = side === 'ours' ? second : both.ids.toCanton(second)
    return { synchronizer, onboardingTransactions, multiHashSignatures }
  }
  await post(note, allocatePath, undefined, { bodyOf })
}

async function seen({ all }: Network, party: string): Promise<void> {
  const encoded = encodeURIComponent(party)
  for (const { get } of all) {
    await get('a party of several hosts', `/v2/parties/${encoded}`)
    await get('and its permissions', `/v2/state/connected-synchronizers?party=${encoded}`)
  }
}

/** Prepares, signs and executes on one participant; every one then tells what it saw. */
async function execute(
  { newId, second, all }: Network,
  one: Participant,
  party: string,
  signer: Signer,
): Promise<void> {
  const { both } = one
  const begin = await one.end()
  const command = { CreateCommand: { templateId: effects, createArguments: target([party]) } }
  const body = {
    userId: 'participant_admin',
    commandId: newId('signed'),
    commands: [command],
    actAs: [party],
    synchronizerId: second,
    packageIdSelectionPreference: [],
    verboseHashing: false,
  }
  const prepared = await both.call('POST', '/v2/interactive-submission/prepare', { body, note: 'for several hosts' })
  const submissionId = newId('submission')
  const transactionFormat = { eventFormat: eventFormat(), transactionShape: 'TRANSACTION_SHAPE_LEDGER_EFFECTS' }
  const bodyOf = (side: 'ours' | 'canton') => {
    const {
      preparedTransaction,
      preparedTransactionHash = '',
      hashingSchemeVersion,
    } = (prepared[side].json ?? {}) as Json
    const signatures = [signer.sign(Buffer.from(preparedTransactionHash, 'base64'))]
    return {
      preparedTransaction,
      hashingSchemeVersion,
      userId: 'participant_admin',
      submissionId,
      deduplicationPeriod: { Empty: {} },
      partySignatures: { signatures: [{ party: side === 'ours' ? party : both.ids.toCanton(party), signatures }] },
      transactionFormat,
    }
  }
  const path = '/v2/interactive-submission/executeAndWaitForTransaction'
  const done = await one.post('executed', path, undefined, { bodyOf })
  const updateId = done?.transaction?.updateId ?? `1220${'00'.repeat(32)}`
  for (const { post, name } of all) {
    const updateFormat = { includeTransactions: transactionFormat }
    await post(`executed on ${one.name}, seen on ${name}`, '/v2/updates/update-by-id', { updateId, updateFormat })
  }
  await completionsOf(one, begin, [party])
}
