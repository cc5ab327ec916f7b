// Hints about paths and methods that do not exist: those of the older JSON API, and misspelt ones.
import { nearest } from '../../base/nearest.ts'

export type PathHints = {
  /** For a path that exists with other methods only. */
  forMethod(path: string, methods: readonly string[]): string
  forPath(path: string): string
}

/** The JSON API of Daml 2, which people still find in documentation, and what does the same now. */
const successors: readonly [path: RegExp, successor: string][] = [
  [/^\/v1\/create-and-exercise$/, 'POST /v2/commands/submit-and-wait-for-transaction with a CreateAndExerciseCommand'],
  [/^\/v1\/create$/, 'POST /v2/commands/submit-and-wait-for-transaction with a CreateCommand'],
  [/^\/v1\/exercise$/, 'POST /v2/commands/submit-and-wait-for-transaction with an ExerciseCommand'],
  [/^\/v1\/stream/, 'a WebSocket of /v2/updates or /v2/state/active-contracts'],
  [/^\/v1\/query$/, 'POST /v2/state/active-contracts'],
  [/^\/v1\/fetch$/, 'POST /v2/contracts/contract-by-id, or POST /v2/events/events-by-contract-id'],
  [/^\/v1\/parties\/allocate$/, 'POST /v2/parties'],
  [/^\/v1\/parties$/, 'GET /v2/parties'],
  [/^\/v1\/user\/create$/, 'POST /v2/users'],
  [/^\/v1\/user\/rights/, 'GET /v2/users/{user-id}/rights'],
  [/^\/v1\/users?$/, 'GET /v2/users'],
  [/^\/v1\/packages/, '/v2/packages'],
  [/^\/v1(\/|$)/, 'the JSON Ledger API of version 2, below /v2'],
  [/^\/com\.daml\.ledger\.api\.|^\/grpc\./, 'the gRPC port, which is another one: grpc.port'],
]

const pathLengthMax = 200

export function createPathHints(paths: readonly string[]): PathHints {
  const fixed = [...new Set(paths.filter((path) => !path.includes('{')))]
  return {
    forMethod: (path, methods) => `${path} takes ${[...new Set(methods)].join(' and ')}`,
    forPath(path) {
      const [, successor] = successors.find(([pattern]) => pattern.test(path)) ?? []
      if (successor !== undefined) return `this is now ${successor}`
      const written = path.slice(0, pathLengthMax)
      const meant = nearest(written, fixed) ?? nearest(`/v2${written}`, fixed)
      return meant === undefined ? 'GET /docs lists all paths' : `did you mean ${meant}?`
    },
  }
}
