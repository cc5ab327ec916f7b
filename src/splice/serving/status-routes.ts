// The routes that every application of Splice has: whether it is ready, and what it is.
import type { Route, RouteContext } from './route.ts'

/** What is not Splice's own: said wherever an application tells its version. */
export const simulated = 'simulated by tallystick: one DSO party, no BFT, no traffic enforcement'

export function statusRoutes(application: 'scan' | 'sv' | 'validator'): readonly Route<RouteContext>[] {
  const get = (path: string, answer: Route<RouteContext>['answer']): Route<RouteContext> => ({
    method: 'GET',
    path: `/api/${application}/${path}`,
    access: 'anyone',
    answer,
  })
  return [
    get('readyz', async () => undefined),
    get('livez', async () => undefined),
    get('version', async ({ network }) => ({
      version: network.release?.version ?? 'none',
      commit_ts: new Date(0).toISOString(),
      simulated,
    })),
    get('status', async ({ network }) => ({
      success: {
        id: `${application}::${network.sv.participantId.split('::')[1]}`,
        uptime: 'PT0S',
        ports: {},
        active: true,
      },
    })),
  ]
}
