// Loads a recording and an engine with its packages.
import { readFileSync } from 'node:fs'
import { createEngine, type Engine } from '../../src/engine/engine.ts'
import { decodeDar } from '../../src/lf/dar/dar.ts'
import type { Identifier, Package } from '../../src/lf/syntax/ast.ts'
import type { Recorded } from './recorded-values.ts'

export type Loaded = {
  // Cases, DARs, package names and settings; see README.md beside this file.
  readonly recording: Recorded
  readonly packages: ReadonlyMap<string, Package>
  readonly engine: Engine
  /** `#name:Module:Entity` or `id:Module:Entity`. */
  identifier(text: string): Identifier
}

const root = new URL('../../', import.meta.url)

export function load(name: string): Loaded {
  return loadRecording(JSON.parse(readFileSync(new URL(`test/differential/${name}.json`, root), 'utf8')))
}

/** DARs are named from the root of the repository, or by full path. */
export function loadRecording(recording: Recorded): Loaded {
  const packages = new Map<string, Package>()
  for (const dar of recording.dars) {
    for (const { package: decoded } of decodeDar(readFileSync(new URL(dar, root))).packages) {
      packages.set(decoded.id, decoded)
    }
  }
  return withPackages(recording, packages)
}

export function withPackages(recording: Recorded, packages: ReadonlyMap<string, Package>): Loaded {
  return {
    recording,
    packages,
    engine: createEngine(packages),
    identifier(text) {
      const [reference, module, entity] = text.split(':') as [string, string, string]
      const packageId = reference.startsWith('#') ? recording.packages[reference.slice(1)] : reference
      return { packageId, module, name: entity }
    },
  }
}
