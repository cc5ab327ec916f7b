// Why an archive is refused: a text for the person who built or uploaded it, and a kind for the code that answers them.
import { javaException } from '../../protobuf/protobuf-error.ts'
import { byteOf, type Cursor, openCursor } from '../../protobuf/wire-reading.ts'

/** Kinds follow Canton's own reasons for refusing a DAR (daml-lf/archive Error.scala); most are about the content. */
export type ArchiveProblem =
  /** `reason`: in the reference's words, where it says the same of all such files. */
  | { readonly kind: 'content'; readonly reason?: string }
  /** `exception`: the reference's, with the name of its class; undefined if there is no manifest. */
  | { readonly kind: 'not-a-dar'; readonly exception?: string; readonly entries?: readonly string[] }
  | { readonly kind: 'missing-entry'; readonly entry: string; readonly entries: readonly string[] }
  | { readonly kind: 'zip-bomb' }
  | { readonly kind: 'language'; readonly packageId: string; readonly version: string }

/** What is wrong and where. Reading an archive throws this and nothing else. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError'
  readonly problem: ArchiveProblem

  constructor(message: string, problem: ArchiveProblem = { kind: 'content' }) {
    super(message)
    this.problem = problem
  }
}

/** A cursor over bytes of an archive: what the wire reader refuses is an ArchiveError, too. */
export function openArchiveCursor(bytes: Uint8Array, place: string): Cursor {
  return openCursor(bytes, place, (message, damage) => {
    return new ArchiveError(message, contentProblem(damage && `IO error: ${javaException(damage)}`))
  })
}

/** `reason`: in the reference's words. */
export function refuse(cursor: Cursor, problem: string, reason?: string): never {
  throw new ArchiveError(`${cursor.place}: ${problem} (at byte ${byteOf(cursor)})`, contentProblem(reason))
}

function contentProblem(reason: string | undefined): ArchiveProblem {
  return { kind: 'content', ...(reason !== undefined && { reason }) }
}
