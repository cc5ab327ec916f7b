import assert from 'node:assert/strict'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { openDar } from '../../lf/dar/dar.ts'
import { readReleaseDars } from './checked-dars.ts'
import { bundleUrl, cachedReleaseDars } from './release-bundle.ts'
import { releaseOf, type SplicePackage, type SpliceRelease, spliceReleases } from './releases.ts'

const darOf = (name: string) => fileURLToPath(new URL(`../../../packages/${name}/${name}.dar`, import.meta.url))
const quickstart = readFileSync(darOf('quickstart'))
const settlement = readFileSync(darOf('settlement'))
const idOf = (dar: Uint8Array) => openDar(dar).packages[0]!.id

const folder = mkdtempSync(join(tmpdir(), 'tallystick-splice-'))
after(() => rmSync(folder, { recursive: true }))

/** A release whose packages are all our own. */
function releaseWith(version: string, dar: Uint8Array): SpliceRelease {
  const own = (name: string): SplicePackage => ({ name, version: '1.0.0', packageId: idOf(dar) })
  return {
    version,
    packages: {
      amulet: own('amulet'),
      amuletNameService: own('names'),
      dsoGovernance: own('governance'),
      validatorLifecycle: own('lifecycle'),
      wallet: own('wallet'),
      walletPayments: own('payments'),
    },
  }
}

const files = ['amulet', 'names', 'governance', 'lifecycle', 'wallet', 'payments'].map((name) => `${name}-1.0.0.dar`)

function folderWith(name: string, dar: string): string {
  const path = join(folder, name)
  mkdirSync(path)
  for (const file of files) copyFileSync(dar, join(path, file))
  return path
}

function tarOf(entries: readonly (readonly [name: string, content: Uint8Array])[]): Buffer {
  const blocks = entries.flatMap(([name, content]) => {
    const header = Buffer.alloc(512)
    header.write(name)
    header.write(content.length.toString(8).padStart(11, '0'), 124)
    header.write('0ustar', 156)
    return [header, Buffer.from(content), Buffer.alloc(-content.length & 511)]
  })
  return Buffer.concat([...blocks, Buffer.alloc(1024)])
}

async function serving(answer: Buffer | number) {
  let requests = 0
  const server = createServer((_, response) => {
    requests += 1
    if (typeof answer === 'number') response.writeHead(answer).end()
    else response.end(answer)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    base: `http://127.0.0.1:${port}`,
    requests: () => requests,
    [Symbol.dispose]: () => void server.close(),
  }
}

describe('the packages of a release', () => {
  test('a release has the packages of the table, each once', () => {
    for (const { packages } of spliceReleases) {
      const ids = Object.values(packages).map(({ packageId }) => packageId)
      assert.equal(new Set(ids).size, 6)
      for (const id of ids) assert.match(id, /^[0-9a-f]{64}$/)
    }
    assert.equal(releaseOf('0.0.0'), undefined)
  })

  test('packages of a release are read from a folder in which each has its id', () => {
    const dars = readReleaseDars(releaseWith('1', quickstart), folderWith('right', darOf('quickstart')))
    assert.deepEqual(
      dars.map(({ role }) => role),
      ['amulet', 'amuletNameService', 'dsoGovernance', 'validatorLifecycle', 'wallet', 'walletPayments'],
    )
  })

  test('packages of a release are refused by name if one is another package, damaged or missing', () => {
    const release = releaseWith('1', quickstart)
    const path = folderWith('wrong', darOf('quickstart'))
    copyFileSync(darOf('settlement'), join(path, 'wallet-1.0.0.dar'))
    assert.throws(() => readReleaseDars(release, path), {
      message: `wallet-1.0.0.dar is another package than the one that Splice released: its id is ${idOf(settlement)}, and should be ${idOf(quickstart)}`,
    })
    writeFileSync(join(path, 'wallet-1.0.0.dar'), 'no zip')
    assert.throws(() => readReleaseDars(release, path), /^Error: wallet-1\.0\.0\.dar is not a DAR: /)
    rmSync(join(path, 'wallet-1.0.0.dar'))
    assert.throws(() => readReleaseDars(release, path), /Splice 1 needs wallet-1\.0\.0\.dar, and there is no /)
  })
})

describe('the bundle of a release', () => {
  test('the bundle of a release is fetched once, and only its packages are kept', async () => {
    const release = releaseWith('2.0.0', quickstart)
    const entries = files.map((file) => [`splice-node/dars/${file}`, quickstart] as const)
    const large = ['splice-node/lib/app.jar', Buffer.alloc(100_000, 'x')] as const
    using server = await serving(gzipSync(tarOf([large, ...entries, large])))
    const cache = join(folder, 'cache')
    const url = bundleUrl(release, server.base)
    assert.equal(url, `${server.base}/v2.0.0/2.0.0_splice-node.tar.gz`)
    const found = await cachedReleaseDars(release, cache, url)
    assert.deepEqual(readdirSync(found).sort(), [...files].sort())
    assert.equal(readReleaseDars(release, found).length, 6)
    assert.equal(await cachedReleaseDars(release, cache, url), found)
    assert.equal(server.requests(), 1)
  })

  const bad: readonly (readonly [title: string, answer: Buffer | number, message: RegExp])[] = [
    [
      'is not there',
      404,
      /cannot fetch the packages of Splice 3 from .* \(it answered 404\); download the bundle elsewhere/,
    ],
    ['is no archive', Buffer.from('hello'), /cannot fetch .*incorrect header check/],
    [
      'ends in the middle',
      gzipSync(tarOf([['dars/amulet-1.0.0.dar', quickstart]]).subarray(0, 2000)),
      /the archive is cut off/,
    ],
    ['lacks a package', gzipSync(tarOf([['dars/amulet-1.0.0.dar', quickstart]])), /has no names-1\.0\.0\.dar/],
    [
      'has another package',
      gzipSync(tarOf([['dars/amulet-1.0.0.dar', settlement]])),
      /amulet-1\.0\.0\.dar is another package/,
    ],
  ]
  for (const [title, answer, message] of bad) {
    test(`a bundle that ${title} leaves no cache`, async () => {
      using server = await serving(answer)
      const cache = mkdtempSync(join(folder, 'cache-'))
      const release = releaseWith('3', quickstart)
      await assert.rejects(cachedReleaseDars(release, cache, bundleUrl(release, server.base)), message)
      assert.deepEqual(readdirSync(cache), [])
    })
  }

  test('where nothing answers, the release bundle says what to do', async () => {
    const { base, [Symbol.dispose]: close } = await serving(200)
    close()
    const release = releaseWith('4', quickstart)
    await assert.rejects(cachedReleaseDars(release, join(folder, 'none'), bundleUrl(release, base)), /--splice-dars$/)
    assert.ok(!existsSync(join(folder, 'none', '4')))
  })
})
