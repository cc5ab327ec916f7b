// The interfaces of the token standard that our package of tokens implements, with the ids that Splice gave them. They are the same in
// every release.
import type { SplicePackage } from './releases.ts'

export const tokenStandard: readonly SplicePackage[] = [
  {
    name: 'splice-api-token-metadata-v1',
    version: '1.0.0',
    packageId: '4ded6b668cb3b64f7a88a30874cd41c75829f5e064b3fbbadf41ec7e8363354f',
  },
  {
    name: 'splice-api-token-holding-v1',
    version: '1.0.0',
    packageId: '718a0f77e505a8de22f188bd4c87fe74101274e9d4cb1bfac7d09aec7158d35b',
  },
  {
    name: 'splice-api-token-transfer-instruction-v1',
    version: '1.0.0',
    packageId: '55ba4deb0ad4662c4168b39859738a0e91388d252286480c7331b3f71a517281',
  },
  {
    name: 'splice-api-token-allocation-v1',
    version: '1.0.0',
    packageId: '93c942ae2b4c2ba674fb152fe38473c507bda4e82b4e4c5da55a552a9d8cce1d',
  },
  {
    name: 'splice-api-token-allocation-instruction-v1',
    version: '1.0.0',
    packageId: '275064aacfe99cea72ee0c80563936129563776f67415ef9f13e4297eecbc520',
  },
]
