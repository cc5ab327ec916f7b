// /v2/version: the Canton version whose API this is, which clients check. Our own version is a header, because strict
// clients refuse fields that Canton's answer does not have.
import { idleCheckpointMs, partiesPageMax, usersPageMax, vettedPackagesPageMax } from '../../base/limits.ts'
import { type Route, route } from '../route.ts'
import { versionResponse } from '../wire/version.ts'

/** The release whose behaviour COMPAT.md tracks. */
export const trackedCantonVersion = '3.5.10'

export function versionRoutes(ownVersion: string): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v2/version',
      tag: 'Node',
      summary: 'Get the version of the API and its features',
      response: versionResponse,
      fixedHeaders: { 'tallystick-version': ownVersion },
      async call({ limits, time }) {
        const delayMs = limits.offsetCheckpointMs + idleCheckpointMs(limits)
        return {
          version: trackedCantonVersion,
          features: {
            experimental: { staticTime: { supported: time.isStatic }, commandInspectionService: { supported: true } },
            userManagement: {
              supported: true,
              maxRightsPerUser: limits.userRightsMax,
              maxUsersPageSize: usersPageMax,
            },
            partyManagement: { maxPartiesPageSize: partiesPageMax },
            offsetCheckpoint: {
              maxOffsetCheckpointEmissionDelay: {
                seconds: Math.floor(delayMs / 1000),
                nanos: (delayMs % 1000) * 1_000_000,
                unknownFields: { fields: {} },
              },
            },
            packageFeature: { maxVettedPackagesPageSize: vettedPackagesPageMax },
          },
        }
      },
    }),
  ]
}
