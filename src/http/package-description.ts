// The API's description for the users of one package, made from the package as it was uploaded.
import { LedgerError } from '../base/errors.ts'
import { shorten } from '../base/names.ts'
import { collectPackages } from '../codegen/package-set.ts'
import { type Document, typedDocument } from '../codegen/typed-document.ts'
import type { Ledger } from '../ledger/ledger.ts'

/** Refuses a name that no package has. */
export async function packageDescription(name: string, general: Document, { packages }: Ledger): Promise<Document> {
  const found = await packages.newest(name)
  if (found === undefined) {
    const text = `There is no package with the name ${shorten(name)} on this participant.`
    throw new LedgerError('PACKAGE_NAMES_NOT_FOUND', text)
  }
  const main = (await packages.package(found.id))!
  return typedDocument(general, await collectPackages(main, packages.package))
}
