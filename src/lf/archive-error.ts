// Why an archive is refused, in words for the person who built or uploaded it.

/** What is wrong and where. Whatever is wrong with an archive, reading it throws this and nothing else. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError'
}
