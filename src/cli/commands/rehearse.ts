// tallystick rehearse: tries a new version of packages on a fork of a participant, and tells what breaks. Exits with 0 if nothing
// does, with 1 if something does, and with 2 if there can be no rehearsal.
import { readFileSync } from 'node:fs'
import { wallClock } from '../../base/clock.ts'
import { StartError } from '../../base/errors.ts'
import type { Settings } from '../../base/settings.ts'
import type { DarAccount } from '../../lf/upgrading/account.ts'
import { signCommandLineToken } from '../../node/maintenance.ts'
import type { Node } from '../../node/node.ts'
import type { ForkAccess } from '../../rehearsal/fork-access.ts'
import type { NewDar } from '../../rehearsal/rehearsal.ts'
import { type Command, type Surroundings, UsageError } from '../command.ts'
import { loadSettings } from '../config.ts'
import { settingOptions } from '../options.ts'
import { withProgress } from '../progress.ts'
import type { RehearsalReport } from '../rehearsal-report.ts'

type Flags = {
  readonly fork?: string
  readonly token?: string
  readonly party?: readonly string[]
  readonly at?: string
  readonly script?: readonly string[]
  readonly commands?: string
  readonly keep?: string
  readonly json?: boolean
}

/** A script may read all contracts. */
const requestTimeoutMs = 3_600_000

const { token, party, at } = settingOptions

export const rehearseCommand: Command = {
  summary: 'try a new version of packages on a fork of a participant',
  usage: 'tallystick rehearse FILE --fork URL [options]',
  operands: ['FILE'],
  options: {
    fork: { type: 'string', value: 'URL', help: 'the JSON Ledger API of the participant, which is only read' },
    token: { ...token, help: 'a token for that participant; else TALLYSTICK_FORK_TOKEN' },
    party: { ...party, help: 'only the contracts that this party sees; may be repeated' },
    at: { ...at, help: 'its state at this offset (its end)' },
    script: { type: 'string', multiple: true, value: 'M:NAME', help: 'run this Daml Script of FILE; may be repeated' },
    commands: {
      type: 'string',
      value: 'FILE',
      help: 'submit these commands: a body as of tallystick submit, or a list',
    },
    keep: { type: 'string', value: 'DIR', help: 'keep the fork in this new folder, for tallystick start --data DIR' },
    json: { type: 'boolean', help: 'print JSON instead of text' },
  },
  notes: `Uploads FILE to the fork, reads every contract of its templates through it, computes the views of interfaces, and runs the
scripts and commands in turn. Ends with 0 if nothing breaks, with 1 if something does, and with 2 if there can be no rehearsal.`,
  async run(flags: Flags, surroundings, [file]) {
    try {
      const report = await rehearseIn(file!, flags, surroundings)
      const { breaks, renderRehearsal } = await import('../rehearsal-report.ts')
      surroundings.print(flags.json ? JSON.stringify(report, null, 2) : renderRehearsal(report))
      surroundings.endWith(breaks(report) ? 1 : 0)
    } catch (error) {
      throw error instanceof StartError ? new UsageError(error.message) : error
    }
  },
}

async function rehearseIn(file: string, flags: Flags, surroundings: Surroundings): Promise<RehearsalReport> {
  if (flags.fork === undefined) throw new UsageError('--fork is missing: the URL of a participant')
  const dar = await readDar(file)
  const submissions = flags.commands === undefined ? [] : submissionsIn(flags.commands)
  const { startNode } = await import('../../node/node.ts')
  const { rehearse } = await import('../../rehearsal/rehearsal.ts')
  const starting = startNode(settingsFor(flags, surroundings.environment), { hasQuickstart: false })
  await using node = await withProgress('forking', surroundings, starting)
  const fork = await accessTo(node)
  const wanted = { scripts: flags.script ?? [], submissions }
  const rehearsal = await withProgress('rehearsing', surroundings, rehearse(dar, wanted, fork))
  const account = rehearsal.refusal === undefined ? undefined : await accountOn(node, file, dar)
  const { name, version, id: packageId } = dar.packages[0]!
  return { package: { name, version, packageId }, forkOf: node.forkOf!, ...rehearsal, account }
}

async function readDar(file: string): Promise<NewDar> {
  const { openScriptDar } = await import('../script-dars.ts')
  const { openDar } = await import('../../lf/dar/dar.ts')
  await openScriptDar(file) // Says what is wrong with the file.
  const bytes = new Uint8Array(readFileSync(file))
  const read = openDar(bytes).packages.map((one) => one.decode().package)
  const names = new Map(read.map(({ id, name }) => [id, name]))
  const packages = read.map(({ id, name, version, modules }) => {
    const templates = [...modules.values()].flatMap((module) =>
      [...module.templates.values()].map(({ name: template, interfaceInstances }) => ({
        name: `${module.name}:${template}`,
        interfaces: interfaceInstances.map(
          ({ interface: of }) => `#${names.get(of.packageId)}:${of.module}:${of.name}`,
        ),
      })),
    )
    return { id, name, version, templates }
  })
  return { bytes, packages }
}

function submissionsIn(file: string): readonly object[] {
  let json: unknown
  try {
    json = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new StartError(`cannot read the commands of ${file}: ${(error as Error).message}`)
  }
  const list: readonly unknown[] = Array.isArray(json) ? json : [json]
  const isBody = (one: unknown) => typeof one === 'object' && one !== null && Object.hasOwn(one, 'commands')
  if (!list.every(isBody)) throw new StartError(`${file}: each submission has its commands under "commands"`)
  return list as readonly object[]
}

/** A node of its own, on a port that nobody knows. */
function settingsFor(flags: Flags, environment: Surroundings['environment']): Settings {
  const { keep, fork, token: given, party: parties, at: offset } = flags
  const settings = loadSettings(
    {
      ...(keep === undefined ? { memory: true } : { data: keep }),
      ...{ port: '0', 'grpc-port': 'off', 'log-level': 'warn', auth: 'jwt', fork },
      ...(given !== undefined && { token: given }),
      ...(parties !== undefined && { party: parties }),
      ...(offset !== undefined && { at: offset }),
    },
    environment,
  )
  return { ...settings, limits: { ...settings.limits, requestTimeoutMs } }
}

/** It grants everything. */
const tokenFor = ({ localSecret }: Node) => signCommandLineToken(localSecret!)

async function accessTo(node: Node): Promise<ForkAccess> {
  const { createLedgerClient } = await import('../../ledger-client/ledger-client.ts')
  const admin = await tokenFor(node)
  const headers = { authorization: `Bearer ${admin}` }
  return {
    client: createLedgerClient(node.url, async () => admin, wallClock),
    async send(path, body) {
      const content = body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body)
      const response = await fetch(new URL(path, node.url), { method: 'POST', headers, body: content })
      return { status: response.status, text: await response.text() }
    },
  }
}

/** All that is wrong with the DAR beside the versions that the fork has, and not only the first problem. */
async function accountOn(node: Node, file: string, dar: NewDar): Promise<DarAccount | undefined> {
  const { createNodeClient } = await import('../node-client.ts')
  const { darsOfNode } = await import('../packages-of-node.ts')
  const { checkAside } = await import('../dar-account.ts')
  const { openDar } = await import('../../lf/dar/dar.ts')
  const [main] = dar.packages
  const others = (await darsOfNode(createNodeClient(node.url, await tokenFor(node)))).filter(({ bytes }) => {
    const packages = openDar(bytes).packages
    return (
      !packages.some(({ id }) => id === main!.id) && packages.some((one) => one.decode().package.name === main!.name)
    )
  })
  const files = others.map(({ name, bytes }) => ({ file: name, bytes }))
  return checkAside([{ file, bytes: dar.bytes }, ...files]).catch((error) => {
    if (error instanceof StartError) return undefined // The refusal says it.
    throw error
  })
}
