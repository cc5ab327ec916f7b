// The releases of Splice that can be run: their packages, with the ids that daml/dars.lock of Splice gives them. A package id is
// the hash of the package, so a file with the right id is the right file.

/** What founding and routes use of a package. */
export type PackageRole =
  | 'amulet'
  | 'amuletNameService'
  | 'dsoGovernance'
  | 'validatorLifecycle'
  | 'wallet'
  | 'walletPayments'

export type SplicePackage = {
  readonly name: string
  readonly version: string
  readonly packageId: string
}

export type SpliceRelease = {
  readonly version: string
  readonly packages: Readonly<Record<PackageRole, SplicePackage>>
}

/** The first is the one that quickstart uses, the last the newest. */
export const spliceReleases: readonly SpliceRelease[] = [
  {
    version: '0.6.11',
    packages: {
      amulet: {
        name: 'splice-amulet',
        version: '0.1.21',
        packageId: '73e9ffdb6b0bc19a5f67372b118103926da11547ab9109eccae47e4e4cc35d6f',
      },
      amuletNameService: {
        name: 'splice-amulet-name-service',
        version: '0.1.22',
        packageId: '3921e7bd20670dce7530a84ad04b5f83860c21660bf1553908f76e95767c1950',
      },
      dsoGovernance: {
        name: 'splice-dso-governance',
        version: '0.1.27',
        packageId: '014473d35514cb36583bdeca269386e46ae4e2283fe9b04beb2f53cdb408e1a2',
      },
      validatorLifecycle: {
        name: 'splice-validator-lifecycle',
        version: '0.1.8',
        packageId: '217edf88c015ee080de2132a208cf23c14e9a2773198c0d4078985ab25ad4be1',
      },
      wallet: {
        name: 'splice-wallet',
        version: '0.1.22',
        packageId: 'a78daeeb1a4a2405828b29f8c04814725dbd97ee5a60bd02e839f32518640afa',
      },
      walletPayments: {
        name: 'splice-wallet-payments',
        version: '0.1.21',
        packageId: 'dc1a2f4ff4774e00c388f1bfce48a23c3539b8ea0d0ebf99b8df840a058ef873',
      },
    },
  },
  {
    version: '0.7.4',
    packages: {
      amulet: {
        name: 'splice-amulet',
        version: '0.1.22',
        packageId: 'fb10433a48c24f30076a7aee03a3e314b7ab02fe9a22e2069e3af92d2b6ac88a',
      },
      amuletNameService: {
        name: 'splice-amulet-name-service',
        version: '0.1.23',
        packageId: '9cffe65feb664c9550937433067e9f969e3795c6fb38715e06a5e04fc1ae1f83',
      },
      dsoGovernance: {
        name: 'splice-dso-governance',
        version: '0.1.28',
        packageId: 'eeb461e9e430d8aaaa232f23058a28c9858d559abd083c391d7ab7e73efb4e13',
      },
      validatorLifecycle: {
        name: 'splice-validator-lifecycle',
        version: '0.1.8',
        packageId: '217edf88c015ee080de2132a208cf23c14e9a2773198c0d4078985ab25ad4be1',
      },
      wallet: {
        name: 'splice-wallet',
        version: '0.1.23',
        packageId: '727c0fb9711d59b506fbb3cff2342e55eb583bb88682a946220525c304feca4a',
      },
      walletPayments: {
        name: 'splice-wallet-payments',
        version: '0.1.22',
        packageId: '866ea53bea2afc099c560ad4c386a1736859841b17c422836f133d605ee51616',
      },
    },
  },
]

export const defaultRelease = '0.6.11'

export function releaseOf(version: string): SpliceRelease | undefined {
  return spliceReleases.find((release) => release.version === version)
}

/** As releases call their files. */
export function fileNameOf({ name, version }: SplicePackage): string {
  return `${name}-${version}.dar`
}
