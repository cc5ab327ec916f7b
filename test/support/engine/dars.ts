// The packages of DAR files of this repository, for tests that need compiled Daml.
import { readFileSync } from 'node:fs'
import { decodeDar } from '../../../src/lf/dar/dar.ts'
import type { Package } from '../../../src/lf/syntax/ast.ts'

export type LoadedDar = {
  /** Id of the main package. */
  readonly main: string
  readonly packages: ReadonlyMap<string, Package>
  readonly dalfs: readonly { readonly bytes: Uint8Array }[]
}

/** `path` is relative to the root of the repository. */
export function loadDar(path: string): LoadedDar {
  const { main, packages } = decodeDar(readFileSync(new URL(`../../../${path}`, import.meta.url)))
  return {
    main: main.package.id,
    packages: new Map(packages.map((each) => [each.package.id, each.package])),
    dalfs: packages.map(({ bytes }) => ({ bytes })),
  }
}
