// The scripts of DAR files, as commands name them.
import { readFileSync } from 'node:fs'
import { StartError } from '../base/errors.ts'
import type { DecodedPackage } from '../lf/archive/package.ts'
import type { OpenPackage } from '../lf/dar/dar.ts'
import type { Package } from '../lf/syntax/ast.ts'
import { type FoundScript, scriptsIn } from '../script/scripts.ts'

export type ScriptDar = {
  readonly file: string
  readonly bytes: Uint8Array
  /** Name and version of its main package. */
  readonly packageName: string
  readonly main: Package
  /** The packages by their ids, the main one first. */
  readonly dalfs: ReadonlyMap<string, Uint8Array>
  readonly scripts: readonly FoundScript[]
}

/** Every problem with the file is reported in one line. `onPackages` is called before the scripts are looked for. */
export async function openScriptDar(
  file: string,
  onPackages?: (dalfs: ScriptDar['dalfs']) => void,
): Promise<ScriptDar> {
  const { openDar } = await import('../lf/dar/dar.ts')
  const { ArchiveError } = await import('../lf/archive/archive-error.ts')
  try {
    const bytes = readFileSync(file)
    const { packages } = openDar(bytes)
    const dalfs = new Map(packages.map(({ id, bytes }) => [id, bytes]))
    onPackages?.(dalfs)
    const { main, scripts } = scriptsOf(packages[0]!)
    return { file, bytes, packageName: `${main.name}-${main.version}`, main, dalfs, scripts }
  } catch (error) {
    if (error instanceof ArchiveError) throw new StartError(`${file} is not a DAR that runs here: ${error.message}`)
    if ((error as { syscall?: string }).syscall === undefined) throw error
    throw new StartError(`cannot read the DAR: ${(error as Error).message}`)
  }
}

/** Looking for scripts takes half as long if the package is read as far as needed; what is wrong with it, a full read says. */
function scriptsOf({ decode, decodeKnown }: OpenPackage): Pick<ScriptDar, 'main' | 'scripts'> {
  const found = ({ package: main }: DecodedPackage) => ({ main, scripts: scriptsIn(main) })
  try {
    return found(decodeKnown())
  } catch {
    return found(decode())
  }
}

/** `Module:name` */
export function nameOfScript({ id: { module, name } }: FoundScript): string {
  return `${module}:${name}`
}
