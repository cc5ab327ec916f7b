// What documents name exists: settings, metrics, commands and their options, files of this repository, other documents
// and their sections. (The commands of console blocks are run: e2e/examples.test.ts.)
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { parse } from 'yaml'
import { rows } from '../bench/rows.ts'
import { commands } from '../src/cli/commands/all.ts'
import { settingRows } from '../src/cli/setting-list.ts'
import { participantProfiles, portsOf, scanPort, svPort } from '../src/splice/profile/participants.ts'
import { cliDocument } from '../tools/cli-document.ts'
import { metricsDocument } from '../tools/metrics-document.ts'
import { settingsDocument } from '../tools/settings-document.ts'
import { anchorOf } from './fixtures/document.ts'
import { startTestNode, stores } from './fixtures/node.ts'

const ofUsers = [...globSync('*.md'), ...globSync('docs/*.md')].sort()
const decisions = globSync('docs/decisions/*.md').sort()
const documents = [...ofUsers, ...decisions, 'bench/README.md']
const textOf = (document: string) => readFileSync(document, 'utf8')

/** Names of the same form: the file of settings, the node and its parties, mistakes that documents show, what tests read. */
const otherNames = [
  ...['TALLYSTICK_CONFIG', 'TALLYSTICK_PORT', 'TALLYSTICK_BROWSER', 'TALLYSTICK_URL', 'TALLYSTICK_TOKEN'],
  ...['TALLYSTICK_PARTY_ALICE', 'TALLYSTICK_TOKEN_ALICE', 'TALLYSTICK_TOKEN_APP', 'TALLYSTICK_URL_BANK'],
  ...['TALLYSTICK_TOKEN_BANK_ALICE'],
  ...['TALLYSTICK_SIMULATION_STEPS', 'TALLYSTICK_REQUESTS', 'TALLYSTICK_TRANSPORTS'],
]

describe('settings', () => {
  test('are listed in docs/settings.md as the code has them (tools/settings-document.ts writes the list)', () => {
    const document = readFileSync('docs/settings.md', 'utf8')
    assert.equal(document, settingsDocument(document))
  })

  for (const document of documents) {
    test(`are named in ${document} only if they exist`, () => {
      const rows = settingRows()
      const sections = [...new Set(rows.map(({ section }) => section))].filter((name) => name !== '')
      const names = new RegExp(`TALLYSTICK_[A-Z_]*[A-Z]\\b|(?<=\`)(?:${sections.join('|')})\\.[A-Za-z.]+(?=[\`:])`, 'g')
      const groups = rows.map(({ path }) => path.slice(0, -1).join('.'))
      const known = new Set([...rows.flatMap(({ name, variable }) => [name, variable]), ...groups, ...otherNames])
      const named = textOf(document).matchAll(names)
      assert.deepEqual(
        [...named].map(([name]) => name).filter((name) => !known.has(name)),
        [],
      )
    })
  }

  test('have the flags that docs/settings.md names', () => {
    const [byHand] = textOf('docs/settings.md').split('## All settings')
    const known = new Set(['--config', '--json', ...settingRows().flatMap(({ flags }) => flags)])
    assert.deepEqual(
      [...byHand!.matchAll(/--[a-z][a-z-]+/g)].map(([flag]) => flag).filter((flag) => !known.has(flag)),
      [],
    )
  })

  test('are all used by the code', () => {
    const sources = globSync('src/**/*.ts', { exclude: ['**/*.test.ts', 'src/base/settings.ts'] })
    const text = sources.map((file) => readFileSync(file, 'utf8')).join('\n')
    const unread = settingRows().filter(({ path }) => !new RegExp(`\\b${path.at(-1)}\\b`).test(text))
    assert.deepEqual(
      unread.map(({ name }) => name),
      [],
    )
  })
})

describe('metrics', () => {
  for (const store of ['memory', ...stores] as const) {
    test(`of a node over ${store} are those in docs/metrics.md (tools/metrics-document.ts writes the list)`, async () => {
      await using node = await startTestNode({ store })
      const document = readFileSync('docs/metrics.md', 'utf8')
      assert.equal(document, metricsDocument(document, (await node.call('GET', '/metrics')).text))
    })
  }

  test('are named in the hand-written part of docs/metrics.md only if they exist', () => {
    const [byHand, list] = readFileSync('docs/metrics.md', 'utf8').split('## All metrics')
    const named = [...byHand!.matchAll(/tallystick_\w+/g)].map(([name]) => name)
    assert.deepEqual(
      named.filter((name) => !list!.includes(`| \`${name}\` |`)),
      [],
    )
  })
})

describe('links', () => {
  const sectionsOf = (document: string) => textOf(document).split('\n').map(anchorOf)

  for (const document of documents) {
    test(`of ${document} lead to documents and sections that exist`, () => {
      for (const [, path, anchor] of textOf(document).matchAll(/\]\(([^)#\s]*)(?:#([^)]+))?\)/g)) {
        if (/^[a-z]+:/.test(path!)) continue
        const target = path === '' ? document : join(dirname(document), path!)
        assert.ok(existsSync(target), `${document} links to ${path}`)
        if (anchor !== undefined)
          assert.ok(sectionsOf(target).includes(anchor), `${document} links to ${path}#${anchor}`)
      }
    })
  }

  test('of README.md lead to every document', () => {
    const missing = ofUsers.filter((name) => name !== 'README.md' && !textOf('README.md').includes(`](${name})`))
    assert.deepEqual(missing, [])
  })

  test('of docs/decisions/README.md lead to every decision', () => {
    const list = textOf('docs/decisions/README.md')
    const missing = decisions.map((name) => basename(name)).filter((name) => !list.includes(`](${name})`))
    assert.deepEqual(missing, ['README.md'])
  })
})

describe('files', () => {
  for (const document of documents) {
    test(`that ${document} names exist`, () => {
      const places = ['', 'src', dirname(document)]
      const named = textOf(document).matchAll(
        /(?<![\w./-])[a-z][a-z-]*\/[a-z0-9/-]+(?:\.test|\.contract)?\.(?:ts|mjs)\b/g,
      )
      const missing = [...named]
        .map(([name]) => name)
        .filter((name) => !places.some((at) => existsSync(join(at, name))))
      assert.deepEqual(missing, [])
    })
  }
})

describe('benchmarks', () => {
  for (const document of documents) {
    test(`that ${document} names have rows`, () => {
      const named = [...textOf(document).matchAll(/`npm run bench -- '?([^'`]+)'?`/g)]
      const unknown = named.map(([, words]) => words!).filter((words) => !rows.some(({ name }) => name.includes(words)))
      assert.deepEqual(unknown, [])
    })
  }
})

describe('commands', () => {
  test('are listed in docs/cli.md as their help has them (tools/cli-document.ts writes the list)', () => {
    const document = textOf('docs/cli.md')
    assert.equal(document, cliDocument(document))
  })

  test('and their options are all named in docs/cli.md', () => {
    const [, list = ''] = textOf('docs/cli.md').split('## All commands')
    for (const [name, { options, usage }] of Object.entries(commands)) {
      assert.ok(list.includes(`\n### ${name}\n`) && list.includes(`\n${usage}\n`), name)
      for (const option of Object.keys(options)) assert.ok(list.includes(`--${option}`), `${name} --${option}`)
    }
  })

  for (const document of documents) {
    test(`in the text of ${document} and their options exist`, () => {
      const codes = [...textOf(document).matchAll(/`(tallystick [^`]+)`|^(tallystick (?!\d)(?!:).+)$/gm)]
      for (const code of codes.map(([, inText, inBlock]) => (inText ?? inBlock)!)) {
        const options = optionsOf(code)
        assert.ok(options !== undefined, `${document}: ${code}`)
        for (const [option] of code.matchAll(/--[a-z][a-z-]*/g)) assert.ok(options.has(option), `${document}: ${code}`)
      }
    })
  }

  /** Undefined if there is no such command. */
  function optionsOf(code: string): ReadonlySet<string> | undefined {
    const [, first = '', second = ''] = code.split(' ')
    if (first.startsWith('-') || first === 'help') return new Set(['--help', '--version'])
    const command = commands[`${first} ${second}`] ?? commands[first]
    return command && new Set(Object.keys({ ...command.options, help: {} }).map((name) => `--${name}`))
  }
})

describe('docs/localnet-compose.yml', () => {
  const tags = ['!reset', '!override'].flatMap((tag) =>
    (['seq', 'map'] as const).map((collection) => ({ tag, collection, resolve: (value: unknown) => value })),
  )
  // Anchors are not followed, because Compose forgets the tags in them.
  const { services } = parse(textOf('docs/localnet-compose.yml'), { customTags: tags as never })

  test("takes the places of LocalNet's services", () => {
    assert.deepEqual(Object.keys(services), ['canton', 'splice', 'nginx'])
    assert.deepEqual(services.canton.networks.default.aliases, ['splice', 'nginx'])
    for (const { depends_on, ports, volumes } of [services.splice, services.nginx]) {
      assert.equal(depends_on.canton.condition, 'service_healthy')
      assert.deepEqual([ports, volumes], [[], []])
    }
  })

  test('publishes every port, on this machine only', () => {
    const ports = [...participantProfiles.flatMap((profile) => Object.values(portsOf(profile, 0))), scanPort, svPort]
    const published: string[] = services.canton.ports
    assert.deepEqual(
      published.toSorted(),
      ports.map((port) => `\${HOST_BIND_IP:-127.0.0.1}:${port}:${port}`).toSorted(),
    )
  })

  test('runs a command that exists, with options that it has', () => {
    const [name, ...words] = services.canton.command as string[]
    const options = words.filter((word) => word.startsWith('--')).map((word) => word.slice(2))
    assert.deepEqual(
      options.filter((option) => !Object.hasOwn(commands[name!]!.options, option)),
      [],
    )
  })
})
