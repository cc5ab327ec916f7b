// Decoding: every DAR of the repository, down to the last expression. bench/decode.ts does the same in more detail for
// other DAR files.
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { decodeArchive } from '../src/lf/archive/archive.ts'
import { decodeDar } from '../src/lf/dar/dar.ts'
import { median } from './processes.ts'

const aimMegabytes = 15
const rounds = 300

export async function decoding() {
  const root = fileURLToPath(new URL('..', import.meta.url))
  const dars = globSync(['packages/*/*.dar', 'test/lf/*.dar'], { cwd: root })
  const dalfs = dars.flatMap((dar) => decodeDar(readFileSync(`${root}/${dar}`)).packages.map(({ bytes }) => bytes))
  const bytes = dalfs.reduce((sum, dalf) => sum + dalf.length, 0)
  const speeds: number[] = []
  for (let round = 0; round <= rounds; round += 1) {
    const startedMs = performance.now()
    for (const dalf of dalfs) decodeArchive(dalf).checkBodies()
    speeds.push(bytes / 1000 / (performance.now() - startedMs))
  }
  const ours = median(speeds.slice(rounds / 2)) // The first half warms up.
  return { ours: Number(ours.toFixed(1)), theirs: aimMegabytes, unit: 'MB/s', ratio: ours / aimMegabytes }
}
