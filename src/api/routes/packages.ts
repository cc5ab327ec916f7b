// /v2/dars and /v2/packages. Mirrors Canton's JsPackageService; its vetting is in vetting.ts.
import { type Route, route } from '../route.ts'
import * as wire from '../wire/packages.ts'

const tag = 'Packages'

const upload = (path: string, summary: string): Route =>
  route({
    method: 'POST',
    path,
    tag,
    summary,
    query: wire.uploadQuery,
    body: 'bytes',
    response: wire.uploadResponse,
    async call(ledger, { query, body }) {
      await ledger.packages.upload({ ...query, bytes: body })
      return {}
    },
  })

export const packageRoutes: Route[] = [
  upload('/v2/dars', 'Upload a DAR: the body is the file itself'),
  upload('/v2/packages', 'Upload a DAR, as /v2/dars does; for older clients'),

  route({
    method: 'POST',
    path: '/v2/dars/validate',
    tag,
    summary: 'Check whether a DAR could be uploaded, without changing anything',
    query: wire.validateQuery,
    body: 'bytes',
    response: 'nothing',
    async call(ledger, { query, body }) {
      await ledger.packages.validate({ ...query, bytes: body })
      return undefined
    },
  }),

  route({
    method: 'GET',
    path: '/v2/packages',
    tag,
    summary: 'List the ids of all packages',
    response: wire.listPackagesResponse,
    async call(ledger) {
      return { packageIds: await ledger.packages.list() }
    },
  }),

  route({
    method: 'GET',
    path: '/v2/packages/{package-id}',
    tag,
    summary: 'Get the content of a package',
    response: 'bytes',
    responseHeaders: { 'Canton-Package-Hash': 'SHA-256 of the content, in hex: the package id' },
    async call(ledger, { params }) {
      const id = params['package-id']!
      return { bytes: await ledger.packages.payload(id), headers: { 'Canton-Package-Hash': id } }
    },
  }),

  route({
    method: 'GET',
    path: '/v2/packages/{package-id}/status',
    tag,
    summary: 'Check whether a package is known',
    response: wire.packageStatusResponse,
    async call(ledger, { params }) {
      return wire.packageStatusToJson(await ledger.packages.isRegistered(params['package-id']!))
    },
  }),
]
