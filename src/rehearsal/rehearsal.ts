// Tries a new version of packages on a fork before anyone vets it: uploads it, reads every contract through it, and runs
// scripts and commands. Everything that breaks is told; only a DAR that cannot be stored ends the rehearsal.
import { type ForkAccess, refusalOf } from './fork-access.ts'
import type { TemplateOutcome } from './problems.ts'
import { type NewTemplate, readThrough, readViews } from './reading-through.ts'

export type NewDar = {
  readonly bytes: Uint8Array
  readonly packages: readonly NewPackage[]
}

/** The main one comes first. */
export type NewPackage = {
  readonly id: string
  readonly name: string
  readonly version: string
  readonly templates: readonly Pick<NewTemplate, 'name' | 'interfaces'>[]
}

export type Wanted = {
  /** `Module:name`, of the DAR. */
  readonly scripts: readonly string[]
  /** Bodies of submit-and-wait-for-transaction. */
  readonly submissions: readonly object[]
}

export type Rehearsal = {
  /** Why a participant with the same packages would refuse the DAR; undefined if it would not. */
  readonly refusal: string | undefined
  readonly templates: readonly TemplateOutcome[]
  readonly views: readonly TemplateOutcome[]
  readonly scripts: readonly Outcome[]
  readonly commands: readonly Outcome[]
}

export type Outcome = { readonly name: string; readonly failure: string | undefined }

export async function rehearse(dar: NewDar, { scripts, submissions }: Wanted, fork: ForkAccess): Promise<Rehearsal> {
  const { packageIds } = await fork.client.get<{ packageIds: readonly string[] }>('/v2/packages')
  const known = new Set(packageIds)
  const [main] = dar.packages
  const fresh = dar.packages.filter(({ id }, index) => index === 0 || !known.has(id))
  const places = await synchronizersOf(fork)
  const refusal = await firstRefusal(places, (id) => refusalOf(fork, `/v2/dars?synchronizerId=${id}`, dar.bytes))
  const isThere = refusal === undefined || (await vetAnyway(fresh, places, fork))
  if (!isThere) return { refusal, templates: [], views: [], scripts: [], commands: [] }
  const templates = fresh.flatMap(({ id: packageId, name: packageName, templates: own }) =>
    own.map((template) => ({ ...template, packageId, packageName })),
  )
  return {
    refusal,
    templates: templates.length === 0 ? [] : await readThrough(templates, fork),
    views: await readViews(templates, fork),
    scripts: await inTurn(scripts, (script) => runScript(script, main!.name, fork)),
    commands: await inTurn(submissions, (body, index) => submit(body, index + 1, fork)),
  }
}

async function synchronizersOf({ client }: ForkAccess): Promise<readonly string[]> {
  const { connectedSynchronizers } = await client.get<{
    connectedSynchronizers: readonly { synchronizerId: string }[]
  }>('/v2/state/connected-synchronizers')
  return connectedSynchronizers.map(({ synchronizerId }) => synchronizerId)
}

/** All are tried. */
async function firstRefusal(
  synchronizers: readonly string[],
  attempt: (id: string) => Promise<string | undefined>,
): Promise<string | undefined> {
  let first: string | undefined
  for (const id of synchronizers) first = (await attempt(id)) ?? first
  return first
}

/** Packages that are refused as upgrades are stored all the same, and what they break is worth knowing. */
async function vetAnyway(
  packages: readonly NewPackage[],
  synchronizers: readonly string[],
  fork: ForkAccess,
): Promise<boolean> {
  const value = { packages: packages.map(({ id }) => ({ packageId: id })) }
  const change = {
    changes: [{ operation: { Vet: { value } } }],
    updateVettedPackagesForceFlags: ['UPDATE_VETTED_PACKAGES_FORCE_FLAG_ALLOW_VET_INCOMPATIBLE_UPGRADES'],
  }
  const vet = (synchronizerId: string) => refusalOf(fork, '/v2/package-vetting/update', { ...change, synchronizerId })
  return (await firstRefusal(synchronizers, vet)) === undefined
}

async function inTurn<T>(all: readonly T[], run: (one: T, index: number) => Promise<Outcome>): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const [index, one] of all.entries()) outcomes.push(await run(one, index))
  return outcomes
}

async function runScript(name: string, packageName: string, fork: ForkAccess): Promise<Outcome> {
  const { status, text } = await fork.send('/dev/scripts', { name, package: packageName })
  if (status !== 200) return { name, failure: (JSON.parse(text) as { cause?: string }).cause ?? text }
  const { succeeded, failure } = JSON.parse(text) as { succeeded: boolean; failure: readonly string[] }
  return { name, failure: succeeded ? undefined : failure.join('\n') }
}

async function submit(body: object, number: number, fork: ForkAccess): Promise<Outcome> {
  const { commands } = body as { commands: { commandId?: string } | readonly object[] }
  const all = Array.isArray(commands) ? { commands: body } : body
  const inner = (all as { commands: { commandId?: string } }).commands
  const name = inner.commandId ?? `command ${number}`
  const request = { ...all, commands: { ...inner, commandId: name } }
  return { name, failure: await refusalOf(fork, '/v2/commands/submit-and-wait-for-transaction', request) }
}
