// Reads a DAR file given to a command.
import { readFileSync } from 'node:fs'
import { StartError } from '../base/errors.ts'
import type { Dar } from '../lf/dar/dar.ts'

/** Every problem with the file is reported in one line. */
export async function readDar(file: string): Promise<Dar> {
  const { decodeDar } = await import('../lf/dar/dar.ts')
  const { ArchiveError } = await import('../lf/archive/archive-error.ts')
  try {
    return decodeDar(readFileSync(file))
  } catch (error) {
    if (error instanceof ArchiveError) throw new StartError(`${file} is not a DAR that runs here: ${error.message}`)
    if ((error as { syscall?: string }).syscall === undefined) throw error
    throw new StartError(`cannot read the DAR: ${(error as Error).message}`)
  }
}
