// Makes a ledger have what a world file describes, through the ledger's own functions. What exists is left; a submission
// runs once in the life of a ledger. What was done is remembered in the ledger, so that a snapshot remembers it as well.
import { createHash } from 'node:crypto'
import { LedgerError } from '../../base/errors.ts'
import type { Right } from '../../base/rights.ts'
import type { Settings } from '../../base/settings.ts'
import type { NodeRecords } from '../../store/core/administration-records.ts'
import type { Caller } from '../administration/caller.ts'
import type { IdentityProviders } from '../administration/identity-providers.ts'
import type { Parties } from '../administration/parties.ts'
import type { Users } from '../administration/users.ts'
import type { Command } from '../model/commands.ts'
import type { Synchronizers } from '../model/synchronizers.ts'
import type { Packages } from '../packages/packages.ts'
import type { TransactionFormat, Updates } from '../reading/requests/queries.ts'
import type { Submissions } from '../submission/submission.ts'
import { fieldsOfParties, lookupIn, openWorld, type World, type WorldDar } from './world.ts'
import type { WorldPath } from './world-file.ts'
import { createdBy } from './world-labels.ts'
import { type Labels, readWorldRecord, writeWorldRecord } from './world-record.ts'
import { commandWithout, kindOf, partiesWithout, textWithout } from './world-references.ts'
import { partyFields, type WorldCommand, type WorldSubmission, type WorldUser } from './world-schema.ts'
import { submitterOf, type WorldParty, type WorldSection } from './world-sections.ts'

/** The world that a node starts with. */
export type FirstWorld = {
  /** Those of the node, with the synchronizers and participants of the world. */
  readonly settings: Settings
  names(participants: readonly NamedParticipant[]): WorldNames
  /** DAR files that it names. */
  readonly dars: readonly Pick<WorldDar, 'file' | 'participant'>[]
  /** The script that a new ledger begins with, `Module:name`. */
  readonly initScript: string | undefined
  /** Whether the ledger is new and has now its world. */
  applyTo(parts: WorldParts): Promise<boolean>
}

/** What the world calls what. */
export type WorldNames = {
  readonly parties: readonly { readonly alias: string; readonly id: string; readonly participant: string }[]
  /** Those whose tokens the node can sign. */
  readonly users: readonly { readonly id: string; readonly participant: string }[]
}

export type NamedParticipant = { readonly name: string; readonly participantId: string }

/** The parts of a ledger that a world needs. */
type WorldLedger = {
  readonly packages: Packages
  readonly identityProviders: IdentityProviders
  readonly parties: Parties
  readonly users: Users
  readonly synchronizers: Synchronizers
  readonly submissions: Submissions
  readonly updates: Updates
}

type WorldParts = {
  /** All participants, the first one first. */
  readonly participants: readonly { readonly name: string; readonly ledger: WorldLedger }[]
  /** Of the first one. */
  readonly records: Pick<NodeRecords, 'get' | 'put'>
  /** Whether the ledger was empty before this start. */
  readonly isNew: boolean
  /** Called before the first change; `isFirst` if nothing but the world is in the ledger. */
  readonly prepare: (isFirst: boolean) => Promise<void>
}

const administrator: Caller = { userId: undefined, isParticipantAdmin: true, isIdentityProviderAdmin: true }
const everything: TransactionFormat = {
  eventFormat: { filtersByParty: new Map(), filtersForAnyParty: [] },
  shape: 'TRANSACTION_SHAPE_LEDGER_EFFECTS',
}

export function openFirstWorld(file: string, nodeSettings: Settings): FirstWorld {
  const { world, settings } = openWorld(file, nodeSettings)
  return {
    settings,
    dars: world.dars,
    initScript: world.content['init-script'],
    names(participants) {
      const nameOf = (participant: string | undefined) => participant ?? participants[0]!.name
      const ids = partyIdsOf(world, participants)
      const users = world.sections.flatMap(({ participant, content }) =>
        Object.entries(content.users ?? {})
          .filter(([, { identityProvider = '' }]) => identityProvider === '')
          .map(([id]) => ({ id, participant: nameOf(participant) })),
      )
      const parties = [...world.parties].map(([alias, { section }]) => {
        return { alias, id: ids.get(alias)!, participant: nameOf(section.participant) }
      })
      return { parties, users }
    },
    applyTo: (parts) => applyWorld(world, parts),
  }
}

/** By alias. */
function partyIdsOf({ parties }: World, participants: readonly NamedParticipant[]): ReadonlyMap<string, string> {
  const namespaces = new Map(participants.map(({ name, participantId: id }) => [name, id.slice(id.lastIndexOf('::'))]))
  const first = participants[0]!.name
  const idOf = ({ hint, section }: WorldParty) => `${hint}${namespaces.get(section.participant ?? first)}`
  return new Map([...parties].map(([alias, party]) => [alias, idOf(party)]))
}

async function applyWorld(world: World, { participants, records, isNew, prepare }: WorldParts): Promise<boolean> {
  const before = await readWorldRecord(records)
  if (before.digest === world.digest && before.isDone) return false
  await prepare(isNew)
  const { digest, content, sections, problem } = world
  const { submissions = [] } = content
  const ledgers = new Map(participants.map(({ name, ledger }) => [name, ledger]))
  const ledgerOf = (participant: string | undefined) => ledgers.get(participant ?? participants[0]!.name)!
  let ran = before.submissions
  const remember = (isDone: boolean) => writeWorldRecord(records, { digest, isDone, isFirst: isNew, submissions: ran })
  await remember(false)

  /** Refusals name the place in the file. */
  async function at<T>(path: WorldPath, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof LedgerError)) throw error
      const details = error.code.startsWith('DAR_') ? Object.values(error.details.context ?? {}).join('; ') : ''
      throw problem(path, `${error.code}: ${error.message}${details && ` (${details})`}`)
    }
  }

  for (const { bytes, participant, path } of world.dars) {
    const receivers = participant === undefined ? [...ledgers.values()] : [ledgerOf(participant)]
    for (const { packages } of receivers) await at(path, () => packages.takeOver({ bytes, synchronizerId: undefined }))
  }
  for (const section of sections) await addProviders(section, ledgerOf(section.participant), at)
  const ids = partyIdsOf(
    world,
    participants.map(({ name, ledger }) => ({ name, participantId: ledger.parties.participantId })),
  )
  for (const [alias, party] of world.parties) {
    await allocate(party, ids.get(alias)!, ledgerOf(party.section.participant), at)
  }
  const contracts = new Map(Object.values(before.submissions).flatMap((labels) => Object.entries(labels)))
  const look = lookupIn(
    (alias) => ids.get(alias),
    (label) => contracts.get(label),
    world,
  )
  for (const { participant, path, content } of sections) {
    for (const [id, user] of Object.entries(content.users ?? {})) {
      const place = [...path, 'users', id]
      const rights: Right[] = [
        ...fieldsOfParties.flatMap((field) =>
          partiesWithout(user[field] ?? [], [...place, field], look).map((party) => ({
            kind: partyFields[field],
            party,
          })),
        ),
        ...(user.rights ?? []).map((kind) => ({ kind })),
      ]
      const primaryParty = textWithout(user.primaryParty ?? '', [...place, 'primaryParty'], look, 'party')
      await at(place, () => admit(id, { ...user, primaryParty }, rights, ledgerOf(participant)))
    }
  }
  const ownCommandIds = commandIds(submissions)
  for (const [index, submission] of submissions.entries()) {
    const commandId = ownCommandIds[index]!
    if (Object.hasOwn(ran, commandId)) continue
    const path = ['submissions', index]
    const ledger = ledgerOf(submitterOf(submission, world.parties))
    const offset = await at(path, () => {
      const { actAs, readAs = [], commands } = submission
      return submit(ledger, submission, {
        commandId,
        actAs: partiesWithout(actAs, [...path, 'actAs'], look),
        readAs: partiesWithout(readAs, [...path, 'readAs'], look),
        commands: commands.map((one, number) => commandOf(commandWithout(one, [...path, 'commands', number], look))),
      })
    })
    const transaction = JSON.parse(await ledger.updates.transactionAt(offset, everything, 'transaction'))
    const labels = labelsOf(submission, path, createdBy(submission.commands.map(kindOf), transaction), problem)
    for (const [label, contractId] of Object.entries(labels)) contracts.set(label, contractId)
    ran = { ...ran, [commandId]: labels }
    await remember(false)
  }
  await remember(true)
  return isNew
}

type At = <T>(path: WorldPath, work: () => Promise<T>) => Promise<T>

async function addProviders({ path, content }: WorldSection, ledger: WorldLedger, at: At): Promise<void> {
  const wanted = Object.entries(content.identityProviders ?? {})
  if (wanted.length === 0) return
  const known = new Set((await ledger.identityProviders.list()).map(({ id }) => id))
  for (const [id, { issuer, jwksUrl, audience = '', isDeactivated = false }] of wanted) {
    if (known.has(id)) continue
    await at([...path, 'identityProviders', id], () =>
      ledger.identityProviders.create({ id, issuer, jwksUrl, audience, isDeactivated }),
    )
  }
}

/** On the synchronizers where it is not hosted yet. */
async function allocate(entry: WorldParty, party: string, ledger: WorldLedger, at: At): Promise<void> {
  const { hint: partyIdHint, identityProvider: identityProviderId = '', annotations = {} } = entry
  await at(entry.path, async () => {
    const hosted = (await ledger.parties.connections({ party, participantId: '' })).map(
      ({ synchronizer }) => synchronizer.alias,
    )
    const places = entry.synchronizers?.filter((one) => !hosted.includes(one)) ?? (hosted.length > 0 ? [] : [''])
    for (const place of places) {
      await ledger.parties.allocate(
        {
          partyIdHint,
          localMetadata: { resourceVersion: '', annotations },
          identityProviderId,
          synchronizerId: synchronizerIdOf(place, ledger),
          userId: '',
        },
        administrator,
      )
    }
  })
}

/** Undefined for none. */
function synchronizerIdOf(alias: string, { synchronizers }: WorldLedger): string | undefined {
  return synchronizers.all().find((one) => one.alias === alias)?.id
}

/** A user that exists gets the rights that it lacks. */
async function admit(
  id: string,
  user: WorldUser & { readonly primaryParty: string },
  rights: readonly Right[],
  { users }: WorldLedger,
) {
  const { primaryParty, identityProvider = '', isDeactivated = false, annotations = {} } = user
  if ((await users.find(id)) !== undefined) {
    await users.grant(id, identityProvider, rights, administrator)
    return
  }
  const request = {
    id,
    identityProviderId: identityProvider,
    primaryParty,
    isDeactivated,
    primaryPartyAuthentication: user.primaryPartyAuthentication ?? false,
    metadata: { resourceVersion: '', annotations },
  }
  await users.create(request, rights, administrator)
}

/** From what they say, so that they stay the same when something is added before them. Equal ones are numbered. */
function commandIds(submissions: readonly WorldSubmission[]): string[] {
  const seen = new Map<string, number>()
  return submissions.map((submission) => {
    const text = JSON.stringify(submission)
    const number = (seen.get(text) ?? 0) + 1
    seen.set(text, number)
    return `world-${createHash('sha256').update(`${number} ${text}`).digest('hex').slice(0, 32)}`
  })
}

type Resolved = {
  readonly commandId: string
  readonly actAs: readonly string[]
  readonly readAs: readonly string[]
  readonly commands: readonly Command[]
}

/** The offset of the transaction. */
async function submit(ledger: WorldLedger, submission: WorldSubmission, resolved: Resolved): Promise<bigint> {
  const { userId = 'participant_admin', workflowId = '', synchronizer } = submission
  const commands = {
    ...resolved,
    userId,
    workflowId,
    submissionId: '',
    synchronizerId: (synchronizer && synchronizerIdOf(synchronizer, ledger)) ?? '',
    deduplicationPeriod: undefined,
    minLedgerTimeAbs: undefined,
    minLedgerTimeRel: undefined,
    disclosedContracts: [],
    packageIdSelectionPreference: [],
    prefetchContractKeys: [],
    tapsMaxPasses: undefined,
  }
  const context = { traceContext: null, signal: new AbortController().signal }
  return (await ledger.submissions.submitAndWait(commands, context)).completionOffset
}

function commandOf(command: WorldCommand): Command {
  const { CreateCommand, ExerciseCommand, ExerciseByKeyCommand, CreateAndExerciseCommand } = command
  const argument = { choiceArgument: {} }
  if (CreateCommand !== undefined) return { kind: 'create', ...CreateCommand }
  if (ExerciseCommand !== undefined) return { kind: 'exercise', ...argument, ...ExerciseCommand }
  if (ExerciseByKeyCommand !== undefined) return { kind: 'exercise-by-key', ...argument, ...ExerciseByKeyCommand }
  return { kind: 'create-and-exercise', ...argument, ...CreateAndExerciseCommand! }
}

function labelsOf(
  { commands }: WorldSubmission,
  path: WorldPath,
  created: readonly (readonly string[])[],
  problem: World['problem'],
): Labels {
  const labels: Record<string, string> = {}
  for (const [number, { labels: given = [] }] of commands.entries()) {
    const contracts = created[number] ?? []
    if (given.length > contracts.length) {
      const found = contracts.length === 1 ? 'one contract' : `${contracts.length || 'no'} contracts`
      throw problem(
        [...path, 'commands', number, 'labels'],
        `the command creates ${found}, and there are ${given.length} labels`,
      )
    }
    for (const [index, label] of given.entries()) labels[label] = contracts[index]!
  }
  return labels
}
