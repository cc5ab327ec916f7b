// The API's description for the users of one package, made from the package as it was uploaded.
import { LedgerError } from '../base/errors.ts'
import { shorten } from '../base/names.ts'
import { collectPackages } from '../codegen/package-set.ts'
import { type Document, typedDocument } from '../codegen/typed-document.ts'
import type { Ledger } from '../ledger/ledger.ts'

/** The package that a name means; refuses one that no package has. */
export async function describedPackage(name: string, { packages }: Ledger): Promise<string> {
  const found = await packages.newest(name)
  if (found !== undefined) return found.id
  const text = `There is no package with the name ${shorten(name)} on this participant.`
  throw new LedgerError('PACKAGE_NAMES_NOT_FOUND', text)
}

export async function packageDescription(id: string, general: Document, { packages }: Ledger): Promise<Document> {
  const main = (await packages.package(id))!
  return typedDocument(general, await collectPackages(main, packages.package))
}
