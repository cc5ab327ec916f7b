// Hints for developers whose request was refused: the name that was probably meant, the existing choices, what became
// of a contract, or of the same command. A hint reveals nothing that the caller could not read otherwise: every user may list packages, and
// only readers of a stakeholder get hints about a contract.
import type { LedgerError, RefusedChange } from '../../base/errors.ts'
import { nearest } from '../../base/nearest.ts'
import type { Store } from '../../store/core/store.ts'
import type { LedgerEnd } from '../model/ledger-end.ts'
import type { Names } from '../model/name-numbers.ts'
import { numbersIn } from '../model/name-numbers.ts'
import type { PackageContents } from '../packages/package-contents.ts'

export type Hints = {
  /** `reads` says whether the caller may read as a party. */
  for(error: LedgerError, reads: (party: string) => boolean): Promise<string | undefined>
}

type Parts = {
  readonly store: Store
  readonly names: Names
  readonly end: LedgerEnd
  readonly contents: () => Promise<PackageContents>
}

/** Names in one hint; more are only counted. */
const namesShown = 20
/** Limits the mistakes per request and the names compared with each, because comparing takes time. */
const mistakesMax = 3
const candidatesMax = 500

export function createHints({ store, names, end, contents }: Parts): Hints {
  async function aboutPackages(unknown: readonly string[]): Promise<string | undefined> {
    const known = [...(await contents()).packageNames()]
    const meant = unknown
      .slice(0, mistakesMax)
      .map((name) => nearest(name, known.slice(0, candidatesMax)))
      .filter((name) => name !== undefined)
    if (meant.length > 0) return didYouMean(meant.map((name) => `#${name}`))
    return `packages on this node: ${listed(known.toSorted())}; upload others with POST /v2/packages`
  }

  /** `package:Module:Entity`, where the package is an id, a name, or a misspelling of one. */
  async function aboutTypes(unknown: readonly string[]): Promise<string | undefined> {
    const known = await contents()
    const found = unknown.slice(0, mistakesMax).map((id) => typeMeantBy(id, known))
    const meant = found.filter((name) => name !== undefined)
    return meant.length === 0 ? undefined : didYouMean(meant)
  }

  async function aboutContract(
    contractId: string,
    reads: (party: string) => boolean,
    isUse: boolean,
  ): Promise<string | undefined> {
    const [contract] = await store.contracts.sizedById([contractId])
    const { offset } = end.current()
    if (contract === undefined || contract.createdOffset > offset) return undefined
    const stakeholders = numbersIn(contract.stakeholders)
    const texts = await names.texts([...stakeholders, contract.template], store.names)
    if (!stakeholders.some((number) => reads(texts.get(number) ?? ''))) return undefined
    const what = `this contract of ${texts.get(contract.template)}, created at offset ${contract.createdOffset},`
    const { archivedOffset } = contract
    if (archivedOffset !== undefined && archivedOffset <= offset)
      return `${what} was archived at offset ${archivedOffset}`
    const how = isUse ? 'actAs and readAs name none of its stakeholders' : 'the request names none of its stakeholders'
    return `${what} is active, but ${how}`
  }

  /** The answer to the first submission may have been lost. */
  async function aboutChange({ id, afterOffset, notBefore }: RefusedChange): Promise<string | undefined> {
    const [accepted] = await store.acceptedChanges.get([id])
    if (accepted === undefined || accepted.offset <= afterOffset || accepted.publishedAt < notBefore) return undefined
    const { offset } = accepted
    const { rows } = await store.completions.range(undefined, { after: offset - 1n, upTo: offset, limit: 1 })
    const [, updateId] = /"updateId":"([0-9a-f]+)"/.exec(rows[0]?.head ?? '') ?? []
    const update = updateId === undefined ? '' : `, as update ${updateId}`
    return `this command was accepted before: its completion is at offset ${offset}${update}. If you got no answer then, that is the answer`
  }

  return {
    async for({ code, details }, reads) {
      const { about, change, resources = [] } = details
      const accepted = change && (await aboutChange(change))
      if (accepted !== undefined) return accepted
      if (about?.kind === 'advice') return about.text
      if (about?.kind === 'packages') return aboutPackages(about.names)
      if (about?.kind === 'types') return aboutTypes(about.names)
      if (about?.kind === 'choice') return aboutChoice(about.name, about.choices)
      const contract = resources.find(([type]) => type === 'CONTRACT_ID')
      return contract && contractCodes.has(code)
        ? aboutContract(contract[1], reads, !readingCodes.has(code))
        : undefined
    },
  }
}

function typeMeantBy(id: string, known: PackageContents): string | undefined {
  const [reference = '', ...entity] = id.split(':')
  const written = known.nameOfPackage(reference) ?? reference.replace(/^#/, '')
  const packageName = known.hasPackage(written)
    ? written
    : (nearest(written, [...known.packageNames()].slice(0, candidatesMax)) ?? written)
  const wanted = `#${packageName}:${entity.join(':')}`
  const all = [...known.typeNames()].filter((name) => name.startsWith(`#${packageName}:`))
  return all.includes(wanted) ? wanted : nearest(wanted, all.slice(0, candidatesMax))
}

const readingCodes: ReadonlySet<string> = new Set(['CONTRACT_EVENTS_NOT_FOUND', 'CONTRACT_PAYLOAD_NOT_FOUND'])
const contractCodes: ReadonlySet<string> = new Set([
  ...readingCodes,
  'CONTRACT_NOT_FOUND',
  'LOCAL_VERDICT_INACTIVE_CONTRACTS',
])

function aboutChoice(choice: string, choices: readonly string[]): string {
  const meant = nearest(choice, choices)
  return `${meant === undefined ? '' : `${didYouMean([meant])} `}the choices are ${listed(choices)}`
}

function didYouMean(names: readonly string[]): string {
  return `did you mean ${listed([...new Set(names)].map((name) => `\`${name}\``))}?`
}

function listed(names: readonly string[]): string {
  const more = names.length - namesShown
  return names.slice(0, namesShown).join(', ') + (more > 0 ? ` and ${more} more` : '')
}
