// Which packages participants vet and have.
import { type LfValue, unit } from '../../lf/values/values.ts'
import type { Json, Participant } from '../participants.ts'
import { fieldsIn, listIn, optionalIn, textIn } from '../shapes.ts'
import type { AnswerQuestion, Asking, Questions } from './question.ts'

type PackageName = { readonly name: string; readonly version: string }

const changingVetting =
  (operation: 'Vet' | 'Unvet'): AnswerQuestion =>
  async (payload, { participants }) => {
    const [packages, participant] = fieldsIn(payload, 2, `${operation}Packages`)
    const refs = listIn(packages, packageNameIn).map(({ name, version }) => ({
      packageId: '',
      packageName: name,
      packageVersion: version,
    }))
    const change = { operation: { [operation]: { value: { packages: refs } } } }
    const place = participants.named(optionalIn(participant, textIn))
    await place.call('POST', '/v2/package-vetting/update', { changes: [change] })
    return unit
  }

const listVettedPackages: AnswerQuestion = async (_, asking) => {
  return listed(await vettedOn(asking.participants.named(undefined)), asking)
}

/** The participant lists ids; names are known of the packages of the DAR, and of vetted ones. */
const listAllPackages: AnswerQuestion = async (_, asking) => {
  const participant = asking.participants.named(undefined)
  const { packageIds } = await participant.call('GET', '/v2/packages')
  const names = new Map<string, PackageName>(asking.packages().map((known) => [known.id, known]))
  for (const vetted of await vettedOn(participant)) names.set(vetted.id, vetted)
  return listed(
    packageIds.flatMap((id: string) => names.get(id) ?? []),
    asking,
  )
}

/** Each once, on however many synchronizers it is vetted. */
async function vettedOn(participant: Participant): Promise<(PackageName & { readonly id: string })[]> {
  const vetted = new Map<string, Json>()
  let pageToken = ''
  do {
    const page = await participant.call('POST', '/v2/package-vetting/list', { pageToken })
    for (const { packages } of page.vettedPackages) {
      for (const each of packages) vetted.set(each.packageId, each)
    }
    pageToken = page.nextPageToken ?? ''
  } while (pageToken !== '')
  return [...vetted.values()].map(({ packageId, packageName, packageVersion }) => ({
    id: packageId,
    name: packageName,
    version: packageVersion,
  }))
}

function packageNameIn(value: LfValue): PackageName {
  const [name, version] = fieldsIn(value, 2, 'a PackageName')
  return { name: textIn(name), version: textIn(version) }
}

function listed(packages: readonly PackageName[], { values }: Asking): LfValue {
  const type = values.ofLibrary('Questions.Packages', 'PackageName')
  return values.list(packages.map(({ name, version }) => values.positional(type, name, version)))
}

export const packageQuestions: Questions = [
  ['VetPackages 1', changingVetting('Vet')],
  ['UnvetPackages 1', changingVetting('Unvet')],
  ['ListVettedPackages 1', listVettedPackages],
  ['ListAllPackages 1', listAllPackages],
]
