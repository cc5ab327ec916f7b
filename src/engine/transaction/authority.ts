// Who must authorize what (Canton: AuthorizationChecker.scala; texts: Pretty.scala, prettyFailedAuthorization). `node`
// is the number the node would get; only the first of several errors is reported.
import type { Identifier } from '../../lf/syntax/ast.ts'
import { fullName } from '../../lf/syntax/names.ts'
import { Failure } from '../failures/failures.ts'
import type { Create } from './nodes.ts'
import { difference, includesAll, intersection, type Parties } from './parties.ts'

/** Who authorizes at this point, and how Canton prints them: submitters as a Set, an exercise's as a TreeSet. */
export type Authority = { readonly parties: Parties; readonly shown: 'Set' | 'TreeSet' }

export function authorizeCreate(node: number, { templateId, signatories, key }: Create, { parties }: Authority): void {
  if (!includesAll(parties, signatories)) throw missingAuthorizers(node, templateId, signatories, parties)
  if (signatories.length === 0) throw unauthorized(node, templateId, 'has no signatories')
  if (key !== undefined && !includesAll(signatories, key.maintainers)) {
    const shown = key.maintainers.join(',')
    const text = `has maintainers ${shown} which are not a subset of the signatories ${treeSet(signatories)}`
    throw unauthorized(node, templateId, text, key.maintainers, signatories)
  }
}

export function authorizeExercise(
  node: number,
  templateId: Identifier,
  controllers: Parties,
  { parties }: Authority,
): void {
  if (controllers.length === 0) throw unauthorized(node, templateId, 'has no controllers')
  if (!includesAll(parties, controllers)) throw missingAuthorizers(node, templateId, controllers, parties)
}

/** The stakeholders that authorize the fetch of a contract: one is enough. */
export function authorizeFetch(node: number, templateId: Identifier, stakeholders: Parties, by: Authority): Parties {
  const actors = intersection(stakeholders, by.parties)
  if (actors.length > 0) return actors
  throw new Failure(
    'DAML_AUTHORIZATION_ERROR',
    `node NodeId(${node}) requires one of the stakeholders ${treeSet(stakeholders)} of the fetched contract to be an ` +
      `authorizer, but authorizers were ${by.shown}(${by.parties.join(', ')})`,
    {
      TEMPLATE_ID: fullName(templateId),
      requiredOneOf: stakeholders.join(','),
      authorizers: by.parties.join(','),
    },
  )
}

export function authorizeQuery(
  node: number,
  templateId: Identifier,
  maintainers: Parties,
  { parties }: Authority,
): void {
  if (includesAll(parties, maintainers)) return
  const text = `requires authorizers ${maintainers.join(',')} for lookup by key, but it only has ${parties.join(',')}`
  throw unauthorized(node, templateId, text, maintainers, parties)
}

function missingAuthorizers(node: number, templateId: Identifier, required: Parties, authorizers: Parties): Failure {
  const text = `requires authorizers ${required.join(',')}, but only ${authorizers.join(',')} were given`
  return unauthorized(node, templateId, text, required, authorizers)
}

function unauthorized(
  node: number,
  templateId: Identifier,
  text: string,
  required: Parties = [],
  authorizers: Parties = [],
): Failure {
  return new Failure('DAML_AUTHORIZATION_ERROR', `node NodeId(${node}) (${fullName(templateId)}) ${text}`, {
    TEMPLATE_ID: fullName(templateId),
    required: required.join(','),
    authorizers: authorizers.join(','),
    missing: difference(required, authorizers).join(','),
  })
}

function treeSet(parties: Parties): string {
  return `TreeSet(${parties.join(', ')})`
}
