// /dev/dars: uploads a rebuilt package in place of the one before, on a development node.
import type { TakeOver } from '../../ledger/packages/packages.ts'
import { type Route, route } from '../route.ts'
import * as wire from '../wire/development.ts'
import { validateQuery } from '../wire/packages.ts'

export const darRoutes: Route[] = [
  route({
    method: 'POST',
    path: '/dev/dars',
    tag: 'Development',
    summary: 'Upload a DAR; a package with the name and version of a vetted one takes its place, which is unvetted',
    query: validateQuery,
    body: 'bytes',
    response: wire.takeOverResponse,
    async call({ packages }, { query, body }) {
      const { main, replaced, outdated } = await packages.takeOver({
        synchronizerId: query.synchronizerId || undefined,
        bytes: body,
      })
      return { package: shown(main), replaced: replaced.map(shown), outdated: outdated.map(shown) }
    },
  }),
]

function shown({ id, name, version }: TakeOver['main']) {
  return { packageId: id, packageName: name, packageVersion: version }
}
