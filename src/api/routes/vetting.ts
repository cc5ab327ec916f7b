// /v2/package-vetting. Mirrors the vetting of Canton's JsPackageService, with the paths for older clients.
import { type Method, type Route, route } from '../route.ts'
import * as wire from '../wire/vetting.ts'

const tag = 'Packages'

const list = (method: Method, path: string, summary: string): Route =>
  route({
    method,
    path,
    tag,
    summary,
    body: wire.listRequest,
    response: wire.listResponse,
    async call(ledger, { body }) {
      const { vettedPackages, nextPageToken } = await ledger.vetting.list(wire.listRequestFromJson(body))
      return { vettedPackages: vettedPackages.map(wire.vettedPackagesToJson), nextPageToken }
    },
  })

const update = (path: string, summary: string): Route =>
  route({
    method: 'POST',
    path,
    tag,
    summary,
    body: wire.updateRequest,
    response: wire.updateResponse,
    async call(ledger, { body }) {
      const { past, next } = await ledger.vetting.update(wire.updateRequestFromJson(body))
      return {
        pastVettedPackages: past === undefined ? null : wire.vettedPackagesToJson(past),
        newVettedPackages: next === undefined ? null : wire.vettedPackagesToJson(next),
      }
    },
  })

export const vettingRoutes: Route[] = [
  list('POST', '/v2/package-vetting/list', 'List the vetted packages'),
  list('GET', '/v2/package-vetting', 'List the vetted packages, as /v2/package-vetting/list does; for older clients'),
  update('/v2/package-vetting/update', 'Vet and unvet packages'),
  update('/v2/package-vetting', 'Vet and unvet packages, as /v2/package-vetting/update does; for older clients'),
]
