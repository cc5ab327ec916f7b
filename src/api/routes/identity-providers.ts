// /v2/idps. Mirrors Canton's JsIdentityProviderService.
import type { Static } from 'typebox'
import { invalidArgument } from '../../base/errors.ts'
import { shorten } from '../../base/names.ts'
import type { IdentityProviderConfig } from '../../ledger/administration/identity-providers.ts'
import { type Route, route } from '../route.ts'
import { fieldMask, flag, list, message, optional, text } from '../wire/schema.ts'

const tag = 'Identity providers'

const config = message(
  'IdentityProviderConfig',
  {
    identityProviderId: text('1 to 255 letters, digits or symbols of ._:-#/ and space; never changes'),
    isDeactivated: flag('Tokens of a deactivated provider are refused'),
    issuer: text('The iss claim of its tokens; one provider per issuer'),
    jwksUrl: text('Where its public keys are published: an http or https URL'),
    audience: text('If set, its tokens must name this audience'),
  },
  { description: 'An issuer whose tokens are accepted', requires: ['identityProviderId', 'issuer', 'jwksUrl'] },
)

const response = <N extends string>(verb: N) =>
  message(`${verb}IdentityProviderConfigResponse`, { identityProviderConfig: config })

export const identityProviderRoutes: Route[] = [
  route({
    method: 'POST',
    path: '/v2/idps',
    tag,
    summary: 'Create an identity provider config',
    body: message(
      'CreateIdentityProviderConfigRequest',
      { identityProviderConfig: optional(config) },
      { requires: 'all' },
    ),
    response: response('Create'),
    async call(ledger, { body }) {
      const wanted = body.identityProviderConfig && configFromJson(body.identityProviderConfig)
      return { identityProviderConfig: configToJson(await ledger.identityProviders.create(wanted)) }
    },
  }),

  route({
    method: 'GET',
    path: '/v2/idps',
    tag,
    summary: 'List all identity provider configs',
    response: message(
      'ListIdentityProviderConfigsResponse',
      { identityProviderConfigs: list(config, 'By id') },
      { requires: 'all' },
    ),
    async call(ledger) {
      return { identityProviderConfigs: (await ledger.identityProviders.list()).map(configToJson) }
    },
  }),

  route({
    method: 'GET',
    path: '/v2/idps/{idp-id}',
    tag,
    summary: 'Get an identity provider config',
    response: response('Get'),
    async call(ledger, { params }) {
      return { identityProviderConfig: configToJson(await ledger.identityProviders.get(params['idp-id']!)) }
    },
  }),

  route({
    method: 'PATCH',
    path: '/v2/idps/{idp-id}',
    tag,
    summary: 'Update the fields of an identity provider config that the mask names',
    body: message(
      'UpdateIdentityProviderConfigRequest',
      {
        identityProviderConfig: optional(config),
        updateMask: optional(fieldMask),
      },
      { requires: 'all' },
    ),
    response: response('Update'),
    early({ params, body }) {
      const inBody = body.identityProviderConfig
      if (inBody?.identityProviderId === params['idp-id']) return
      const shown = shorten(showConfig(inBody), 1000)
      throw invalidArgument(`${params['idp-id']} does not match idp in body: ${shown}`, { early: true })
    },
    async call(ledger, { body }) {
      const wanted = configFromJson(body.identityProviderConfig!)
      const updated = await ledger.identityProviders.update(wanted, body.updateMask?.paths)
      return { identityProviderConfig: configToJson(updated) }
    },
  }),

  route({
    method: 'DELETE',
    path: '/v2/idps/{idp-id}',
    tag,
    summary: 'Delete an identity provider config without users and parties',
    response: message('DeleteIdentityProviderConfigResponse', {}),
    async call(ledger, { params }) {
      await ledger.identityProviders.delete(params['idp-id']!)
      return {}
    },
  }),
]

type ConfigJson = Static<typeof config>

function configFromJson({ identityProviderId, ...rest }: ConfigJson): IdentityProviderConfig {
  return { id: identityProviderId, ...rest }
}

function configToJson(config: IdentityProviderConfig): ConfigJson {
  return {
    identityProviderId: config.id,
    isDeactivated: config.isDeactivated,
    issuer: config.issuer,
    jwksUrl: config.jwksUrl,
    audience: config.audience,
  }
}

/** How Canton prints a config in the error about a path and a body that differ. */
function showConfig(json: ConfigJson | undefined): string {
  if (json === undefined) return 'None'
  const { identityProviderId, isDeactivated, issuer, jwksUrl, audience } = json
  return `Some(IdentityProviderConfig(${identityProviderId},${isDeactivated},${issuer},${jwksUrl},${audience}))`
}
