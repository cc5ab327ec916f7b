// Hints for developers whose request was refused: the name that was probably meant, what became of a contract, or of the
// same command. A hint reveals nothing that the caller could not read otherwise: every user may list packages, only
// readers of a stakeholder get hints about a contract, and parties are for those who may list them.
import type { LedgerError, RefusedChange } from '../../base/errors.ts'
import { contractIdHint, isCutOff } from '../../lf/values/contract-ids.ts'
import type { Store } from '../../store/core/store.ts'
import type { LedgerEnd } from '../model/ledger-end.ts'
import type { Names } from '../model/name-numbers.ts'
import { numbersIn } from '../model/name-numbers.ts'
import { isOnlySeen } from '../model/seen-contracts.ts'
import type { PackageContents } from '../packages/package-contents.ts'
import { isArrival } from '../reading/rows/contract-places.ts'
import { type HintReader, partyHint } from './party-hints.ts'
import { choiceHint, packagesHint, typesHint } from './type-hints.ts'

export type Hints = {
  for(error: Pick<LedgerError, 'code' | 'details'>, reader: HintReader): Promise<string | undefined>
}

type Parts = {
  readonly store: Store
  readonly names: Names
  readonly end: LedgerEnd
  readonly contents: () => Promise<PackageContents>
}

export function createHints({ store, names, end, contents }: Parts): Hints {
  async function aboutContract(
    contractId: string,
    reads: (party: string) => boolean,
    code: string,
  ): Promise<string | undefined> {
    const isUse = !readingCodes.has(code)
    if (isCutOff(contractId)) return contractIdHint(contractId)
    const [contract] = await store.contracts.sizedById([contractId])
    const { offset } = end.current()
    const unseen = isUse ? noneToUse : noneToRead // The same for a contract that does not exist.
    if (contract === undefined || contract.createdOffset > offset || isOnlySeen(contract)) return unseen
    const stakeholders = numbersIn(contract.stakeholders)
    const texts = await names.texts([...stakeholders, contract.template], store.names)
    if (!stakeholders.some((number) => reads(texts.get(number) ?? ''))) return unseen
    if (code === 'CONTRACT_EVENTS_NOT_FOUND' && (await isArrival(store, contract))) return arrived
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

  /** A name instead of an id is the likelier mistake. */
  async function aboutAuthorizers(missing: readonly string[], reader: HintReader): Promise<string | undefined> {
    const name = missing.find((party) => !party.includes('::'))
    if (name !== undefined) return partyHint(name, false, reader, store.parties)
    const shown = missing.slice(0, authorizersShown).map((party) => `\`${party}\``)
    return `add ${shown.join(' and ')} to actAs, or let them authorize by a choice that they exercise`
  }

  return {
    async for({ code, details }, reader) {
      const { about, change, resources = [] } = details
      const accepted = change && (await aboutChange(change))
      if (accepted !== undefined) return accepted
      switch (about?.kind) {
        case 'advice':
          return about.text
        case 'packages':
          return packagesHint(about.names, await contents())
        case 'types':
          return typesHint(about, filterCodes.has(code), await contents())
        case 'choice':
          return choiceHint(about)
        case 'parties':
          return partyHint(about.names[0] ?? '', about.isRight === true, reader, store.parties)
        case 'authorizers':
          return aboutAuthorizers(about.parties, reader)
      }
      const contract = resources.find(([type]) => type === 'CONTRACT_ID')
      return contract && contractCodes.has(code) ? aboutContract(contract[1], reader.reads, code) : undefined
    },
  }
}

const authorizersShown = 3
const noneToUse =
  'no contract with this id that actAs and readAs can see: is it of another ledger, or from before a reset? Its owner ' +
  'can disclose it (disclosedContracts)'
const noneToRead =
  'no contract with this id that these parties can see: is it of another ledger, or from before a reset?'

const arrived =
  'this contract came to the participant by an assignment, so its creation is no event here: ask ' +
  'POST /v2/contracts/contract-by-id'

const filterCodes: ReadonlySet<string> = new Set([
  'INVALID_FIELD',
  'NO_INTERFACE_FOR_PACKAGE_NAME_AND_QUALIFIED_NAME',
  'NO_TEMPLATES_FOR_PACKAGE_NAME_AND_QUALIFIED_NAME',
])
const readingCodes: ReadonlySet<string> = new Set(['CONTRACT_EVENTS_NOT_FOUND', 'CONTRACT_PAYLOAD_NOT_FOUND'])
const contractCodes: ReadonlySet<string> = new Set([
  ...readingCodes,
  'CONTRACT_NOT_FOUND',
  'LOCAL_VERDICT_INACTIVE_CONTRACTS',
])
