// The cost of an open package: its heap as a ratio to the size of its bytes.
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { decodeArchive } from '../src/lf/archive/archive.ts'
import { decodeDar } from '../src/lf/dar/dar.ts'

const copies = 50

export async function packageMemory() {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const heap = () => {
    collect()
    return process.memoryUsage().heapUsed
  }
  const root = fileURLToPath(new URL('..', import.meta.url))
  const dars = globSync(['packages/*/*.dar', 'test/lf/*.dar'], { cwd: root })
  const dalfs = dars.flatMap((dar) => decodeDar(readFileSync(`${root}/${dar}`)).packages.map(({ bytes }) => bytes))
  const before = heap()
  const open = Array.from({ length: copies }, () => dalfs.map((dalf) => decodeArchive(dalf).package))
  const count = copies * dalfs.length
  const ours = (heap() - before) / count / 1024
  const theirs = dalfs.reduce((sum, dalf) => sum + dalf.length, 0) / dalfs.length / 1024
  if (open.length !== copies) throw new Error('the packages were not kept')
  return { ours: Number(ours.toFixed(1)), theirs: Number(theirs.toFixed(1)), unit: 'KiB', ratio: ours / theirs }
}
