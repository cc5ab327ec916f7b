// tallystick world export: writes parties, users, packages and active contracts of a running node as a world file, with its
// DAR files beside it.
import { closeSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { StartError } from '../../base/errors.ts'
import type { Command } from '../command.ts'
import { type CreatedEvent, shownTemplate } from '../ledger-rows.ts'
import { type NodeFlags, nodeAt, nodeOptions } from '../local-node.ts'
import type { NodeClient } from '../node-client.ts'
import { darsOfNode, listPackages, newestOf } from '../packages-of-node.ts'
import { withProgress } from '../progress.ts'
import { getJson } from '../running-node.ts'
import { aliasesFor, jsonPieces, yamlPieces } from '../world-content.ts'
import {
  type ActiveContract,
  mergedContracts,
  readContracts,
  submissionsFor,
  type WorldSubmissions,
} from '../world-contracts.ts'
import { darsToWrite, type ExportedParticipant, participantsToExport } from '../world-network.ts'
import { given, readParticipant, sectionOf } from '../world-participant.ts'

type Flags = NodeFlags & { readonly 'without-contracts'?: boolean }

export const worldExportCommand: Command = {
  summary: 'write a running node as a world file: parties, users, packages and active contracts',
  usage: 'tallystick world export FILE [--without-contracts] [options]',
  operands: ['FILE'],
  options: {
    'without-contracts': { type: 'boolean', help: 'leave the active contracts out' },
    ...nodeOptions,
  },
  notes: `FILE is YAML if it ends in .yaml or .yml, otherwise JSON. DAR files are written beside it. Of a network all participants are
written, or the one that --participant names. A contract that a new node could not create is left out and named: one with a stakeholder
of another participant or with keys of its own, with signatories of several participants, or one in transit.`,
  async run({ 'without-contracts': isWithout = false, ...flags }: Flags, surroundings, [file]) {
    const { environment, print, tell } = surroundings
    const { node } = await nodeAt(flags, environment)
    const network = await participantsToExport(node, flags, environment)
    const nodes = network?.map((one) => one.node) ?? [node]
    const of = <T>(what: string, from: (one: NodeClient) => Promise<T>) =>
      withProgress(`reading the ${what}`, surroundings, Promise.all(nodes.map(from)))
    const packages = await of('packages', darsOfNode)
    const contents = await of('parties and users', readParticipant)
    const aliases = aliasesFor(contents.flatMap(({ parties }) => parties))
    const reads = isWithout ? [] : await of('contracts', contractsOf)
    const active = mergedContracts(reads.map((one) => one.contracts))
    const connected = network?.flatMap((one) => one.synchronizers) ?? reads.flatMap((one) => one.aliases)
    const { usual, synchronizers } = synchronizersFor([...new Set(connected)], active)
    const contracts = submissionsFor(active, aliases, templateNames(reads), usual)
    const dars = darsToWrite(packages.map((dars, index) => ({ name: network?.[index]?.name ?? '', dars })))
    const content = {
      ...given('dars', dars.common),
      ...given('synchronizers', synchronizers),
      ...(network === undefined
        ? sectionOf(contents[0]!, aliases)
        : { network: { participants: network.map(participantEntry) } }),
    }
    for (const { name, bytes } of dars.files) write(join(dirname(file!), name), [bytes])
    write(file!, await piecesOf(content, contracts.submissions, file!))
    for (const line of leftOutWords(contracts)) tell(`left out: ${line}`)
    const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0)
    const counts = {
      ...(network !== undefined && { participants: network.length }),
      parties: sum(contents.map(({ parties }) => parties.length)),
      users: sum(contents.map(({ users }) => users.length)),
      packages: dars.files.length,
      ...(!isWithout && { contracts: active.length - contracts.leftOut.length }),
    }
    const words = Object.entries(counts).map(([name, count]) => `${name}: ${count}`)
    print(`wrote ${file} (${words.join(', ')})`)

    function participantEntry({ name, synchronizers: own }: ExportedParticipant, index: number): object {
      const all = synchronizers.length === 0 ? usualAliases : synchronizers.map(({ alias }) => alias)
      return {
        name,
        ...(!all.every((alias) => own.includes(alias)) && { synchronizers: own }),
        ...given('dars', dars.own[index]!),
        ...sectionOf(contents[index]!, aliases),
      }
    }
  },
}

type Contracts = {
  readonly contracts: readonly ActiveContract[]
  /** Of the synchronizers that the participant is connected to. */
  readonly aliases: readonly string[]
  /** The id of the newest package of each name. */
  readonly newest: ReadonlyMap<string, string>
}

async function contractsOf(node: NodeClient): Promise<Contracts> {
  const { connectedSynchronizers } = await getJson<{
    connectedSynchronizers: readonly { readonly synchronizerAlias: string; readonly synchronizerId: string }[]
  }>(node, '/v2/state/connected-synchronizers')
  const aliases = new Map(connectedSynchronizers.map((one) => [one.synchronizerId, one.synchronizerAlias]))
  const contracts = await readContracts(node, aliases)
  const newest = newestOf(await listPackages(node)).map(
    ({ packageName, packageId }) => [packageName, packageId] as const,
  )
  return { contracts, aliases: [...aliases.values()], newest: new Map(newest) }
}

/** The name by which a new node finds the same version of a template. */
function templateNames(participants: readonly Contracts[]): (created: CreatedEvent) => string {
  return ({ templateId, packageName }) => {
    const [packageId = '', ...entity] = templateId.split(':')
    const isNewest = participants.every(({ newest }) => (newest.get(packageName) ?? packageId) === packageId)
    return isNewest ? [`#${packageName}`, ...entity].join(':') : templateId
  }
}

/** The synchronizers of a new development node. */
const usualAliases: readonly string[] = ['global', 'private']

/** Those of a new development node need no mention. Of others, a new node prefers the one with most of the contracts. */
function synchronizersFor(aliases: readonly string[], contracts: readonly ActiveContract[]) {
  const countOf = (alias: string) => contracts.filter(({ synchronizer }) => synchronizer === alias).length
  if (aliases.every((alias) => usualAliases.includes(alias))) return { usual: 'global', synchronizers: [] }
  const [usual] = aliases.toSorted((a, b) => countOf(b) - countOf(a))
  return { usual, synchronizers: aliases.map((alias) => ({ alias, priority: alias === usual ? 1 : 0 })) }
}

/** Contracts that are named before the rest is counted. */
const namesShown = 10

function leftOutWords({ leftOut, unknownReferences }: WorldSubmissions): string[] {
  const byReason = Map.groupBy(leftOut, ({ reason }) => reason)
  const lines = [...byReason].map(([reason, contracts]) => {
    const names = contracts
      .slice(0, namesShown)
      .map(({ contract }) => `${shownTemplate(contract)} ${contract.contractId}`)
    const more = contracts.length > namesShown ? ` and ${contracts.length - namesShown} more` : ''
    return `${names.join(', ')}${more}: ${reason}`
  })
  if (unknownReferences === 0) return lines
  return [
    ...lines,
    `${unknownReferences} contracts that others refer to and that are not in the file: their ids are kept`,
  ]
}

async function piecesOf(content: object, submissions: readonly object[], file: string): Promise<Iterable<string>> {
  if (!/\.ya?ml$/.test(file)) return jsonPieces(content, submissions)
  const { yamlText } = await import('../yaml-text.ts')
  return yamlPieces(content, submissions, yamlText)
}

/** A file that exists stays as it is until the new one is complete. */
function write(file: string, pieces: Iterable<string | Uint8Array>): void {
  const part = `${file}.part`
  try {
    const handle = openSync(part, 'w')
    try {
      for (const piece of pieces) writeFileSync(handle, piece)
    } finally {
      closeSync(handle)
    }
    renameSync(part, file)
  } catch (error) {
    rmSync(part, { force: true })
    throw new StartError(`cannot write: ${(error as Error).message}`)
  }
}
