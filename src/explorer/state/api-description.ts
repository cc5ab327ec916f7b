// The API's description: read when somebody first looks at it, for each package once. Descriptions do not change while
// the node runs, but packages may get newer versions: only the last few are kept.
import { type Api, type ApiDocument, apiFrom } from '../api/api-document.ts'
import { get } from '../api/client.ts'
import { query } from './location.ts'

const keptMax = 3
const kept = new Map<string, Promise<Api>>()

/** With the types of a package instead of any Daml value, if one is named. */
export function readApi(packageName: string): Promise<Api> {
  const known = kept.get(packageName)
  if (known !== undefined) return known
  const read = get<ApiDocument>('/docs/openapi', { query: { package: packageName } }).then(apiFrom)
  kept.set(packageName, read)
  read.catch(() => kept.delete(packageName))
  for (const name of kept.keys()) {
    if (kept.size <= keptMax) break
    kept.delete(name)
  }
  return read
}

/** The package whose types the reader wants, from the address. */
export const packageOfQuery = (): string => query.value.get('package') ?? ''
