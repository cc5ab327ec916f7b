// Opens a SQLite file that nobody changes, such as a snapshot. SQLite then puts nothing beside it; otherwise a reader
// would leave an empty log there.
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'

export function openUnchanging(file: string): DatabaseSync {
  const url = pathToFileURL(file)
  url.searchParams.set('immutable', '1')
  return new DatabaseSync(url, { readOnly: true })
}
