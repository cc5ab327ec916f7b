// The packages of the DAR that comes with the node, as reading it would describe them: a first start need not load the
// decoder. A test compares the two.
import { isArchiveOf, payloadBytesOf } from '../../lf/archive/archive-hash.ts'
import { zipLimits } from '../../lf/archive/limits.ts'
import { readZipDirectory, readZipEntry } from '../../lf/dar/zip.ts'
import type { ReadDar, ReadPackage } from './package-tasks.ts'

type Described = Omit<ReadPackage, 'bytes' | 'size'> & { readonly entry: string }

const quickstartId = 'c5ff3474ecaafb087fd7e8d25dfff84677a49ae6ccae0cbec343d7a42f662bb2'
const templateId = '9e70a8b3510d617f8a136213f33d6a903a10ca0eeec76bb06ba55d1ed9680f69'

/** The main package first. */
const ownPackages: readonly Described[] = [
  {
    entry: `quickstart-1.0.0-${quickstartId}.dalf`,
    id: quickstartId,
    name: 'quickstart',
    version: '1.0.0',
    languageVersion: '2.1',
    isUpgradable: true,
    contents: {
      interfaces: ['Holding:Holding'],
      templates: {
        'Iou:Iou': [`${quickstartId}:Holding:Holding`],
        'Iou:IouProposal': [],
        'Iou:TransferOffer': [],
        'Wallet:Wallet': [],
      },
      choices: {
        'Holding:Holding': ['Archive', 'Holding_Redeem'],
        'Iou:Iou': ['Archive', 'Iou_Merge', 'Iou_Offer', 'Iou_Show', 'Iou_Split'],
        'Iou:IouProposal': ['Archive', 'IouProposal_Accept', 'IouProposal_Reject'],
        'Iou:TransferOffer': ['Archive', 'TransferOffer_Accept', 'TransferOffer_Reject', 'TransferOffer_Withdraw'],
        'Wallet:Wallet': ['Archive', 'Wallet_Issue', 'Wallet_Total'],
      },
      dependencies: [],
    },
  },
  {
    entry: `DA-Internal-Template-${templateId}.dalf`,
    id: templateId,
    name: 'ghc-stdlib-DA-Internal-Template',
    version: '1.0.0',
    languageVersion: '2.1',
    isUpgradable: true,
    contents: { interfaces: [], templates: {}, choices: {}, dependencies: [] },
  },
]

/** Undefined if it is another DAR. */
export function readOwnDar(bytes: Uint8Array): ReadDar | undefined {
  const zip = readZipDirectory(bytes)
  const found = ownPackages.flatMap(({ entry: name, ...described }): ReadPackage[] => {
    const entry = zip.entries.get(name)
    const dalf = entry && readZipEntry(zip, entry, zipLimits.entryBytesMax)
    return dalf && isArchiveOf(described.id, dalf) ? [{ ...described, size: payloadBytesOf(dalf), bytes: dalf }] : []
  })
  return found.length === ownPackages.length ? found : undefined
}
