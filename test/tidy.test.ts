// Rules about the code that no type checker knows. They fail with file:line, like a linter.
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import { describe, test } from 'node:test'
import { placesOfStages } from '../bench/command-stages.ts'

// A folder may import itself and the folders listed here: the architecture, in a dozen lines.
const mayImport: Readonly<Record<string, readonly string[]>> = {
  base: [],
  protobuf: ['base/'],
  lf: ['base/', 'protobuf/'],
  events: ['base/', 'protobuf/', 'lf/'],
  engine: ['base/', 'protobuf/', 'lf/', 'events/'],
  script: ['base/', 'protobuf/', 'lf/', 'engine/'],
  codegen: ['base/', 'lf/', 'script/scripts.ts'],
  store: ['base/', 'lf/', 'events/'],
  auth: ['base/'],
  ledger: [
    'base/',
    'protobuf/',
    'lf/',
    'events/',
    'engine/',
    'store/core/store.ts',
    'store/core/administration-records.ts',
    'store/core/contract-records.ts',
    'store/core/ledger-records.ts',
    'store/core/sharing.ts',
  ],
  'ledger-client': ['base/', 'protobuf/', 'lf/codec/time-text.ts', 'lf/values/values.ts'],
  diff: ['base/', 'ledger-client/'],
  rehearsal: ['base/', 'ledger-client/'],
  fork: ['base/', 'lf/codec/time-text.ts', 'events/format/stored-update.ts', 'ledger/fork/', 'ledger-client/'],
  api: ['base/', 'lf/', 'events/', 'codegen/', 'auth/', 'ledger/'],
  http: ['base/', 'auth/', 'ledger/', 'api/'],
  grpc: ['base/', 'protobuf/', 'lf/', 'events/', 'auth/', 'ledger/', 'api/'],
  node: [
    'base/',
    'lf/',
    'events/',
    'engine/',
    'script/',
    'codegen/',
    'store/',
    'auth/',
    'ledger/',
    'ledger-client/',
    'fork/',
    'query-store/',
    'api/',
    'http/',
    'grpc/',
  ],
  issuer: ['base/', 'http/router.ts', 'http/plain-service.ts'],
  splice: [
    'base/',
    'issuer/',
    'lf/archive/',
    'lf/dar/',
    'lf/codec/prepared-transaction.ts',
    'auth/local-tokens.ts',
    'http/plain-service.ts',
    'http/router.ts',
  ],
  'query-store': [
    'base/',
    'lf/archive/',
    'lf/syntax/',
    'store/postgres/errors.ts',
    'store/postgres/hosts.ts',
    'ledger-client/',
  ],
  kit: ['base/', 'lf/codec/time-text.ts', 'auth/', 'engine/', 'script/', 'node/node.ts'],
  cli: [
    'base/',
    'lf/',
    'codegen/',
    'script/',
    'issuer/',
    'splice/',
    'ledger-client/',
    'diff/',
    'rehearsal/',
    'query-store/',
    'ledger/packages/first-packages.ts',
    'ledger/packages/reading-aside.ts',
    'grpc/time-client.ts',
    'node/node.ts',
    'node/maintenance.ts',
    'kit/in-process.ts',
  ],
  explorer: ['codegen/type-description.ts'],
}

// The subfolders of large folders, from the bottom up: a subfolder may import those before it. Files beside them may
// import any.
const rooms: Readonly<Record<string, readonly string[]>> = {
  lf: ['syntax', 'archive', 'dar', 'checking', 'upgrading', 'values', 'codec'],
  events: ['format', 'json', 'protobuf', 'sql'],
  engine: ['failures', 'values', 'code', 'transaction', 'compile', 'builtins', 'requests', 'pool'],
  store: ['core', 'records', 'schema', 'sqlite', 'postgres', 'snapshots', 'integrity', 'sql'],
  api: ['wire', 'calls', 'errors', 'streams', 'routes', 'descriptions'],
  ledger: [
    'keys',
    'model',
    'topology',
    'packages',
    'reading',
    'commit',
    'network',
    'inspection',
    'reassignment',
    'routing',
    'submission',
    'interactive',
    'administration',
    'fork',
    'finding',
    'development',
  ],
  'ledger/reading': ['requests', 'following', 'rows', 'json'],
  splice: [
    'profile',
    'packages',
    'ledger',
    'founding',
    'treasury',
    'automation',
    'serving',
    'registry',
    'tokens',
    'scan',
    'validator',
    'wallet',
  ],
  explorer: ['api', 'state', 'parts', 'pages', 'frame'],
}

// The only files beside the rooms of these folders. They put the rooms together, so no room imports them.
const compositions: Readonly<Record<string, readonly string[]>> = {
  ledger: ['ledger.ts', 'open-ledger.ts'],
}

const anywhere = /^$/
const notProduct = /^(bin|test|bench|attack|tools)\/|\.(test|contract)\.ts$/

const banned: readonly [what: RegExp, except: RegExp, instead: string][] = [
  [
    /\bDate\.now|\bnew Date\(\)|Math\.random|randomUUID/,
    new RegExp(`^src/(base|explorer)/|${notProduct.source}`),
    'Clock or Random',
  ],
  [/\b(setTimeout|setInterval)\b/, new RegExp(`^src/(base|explorer)/|${notProduct.source}`), 'Clock'],
  [/\bperformance\.now/, new RegExp(`^src/(base|cli|explorer)/|${notProduct.source}`), 'Clock'],
  [/\bconsole\./, new RegExp(`^src/(cli/|base/log)|${notProduct.source}`), 'Log'],
  [
    /\bprocess\.(env|exit|argv)/,
    new RegExp(`^src/(cli/|base/log|kit/child)|${notProduct.source}`),
    'settings from cli/',
  ],
  [/\b(FIXME|XXX)\b|\bTODO\b(?!.*issue \d)/, anywhere, 'nothing: finish it, or name the issue'],
  [/\b(test|it|describe|suite)\.only\(|\bonly: true/, anywhere, 'nothing: run them all'],
  [/\b(test|it|describe|suite)\.skip\(|\bskip: true/, anywhere, "skip: 'the reason and the issue'"],
  [/Math\.random|from 'fast-check'/, /(?<!\.test\.ts)$/, 'fc and testSeed of test/fixtures/seed.ts: a run repeats'],
  [/\b(describe|suite)\(.*\basync\b.*=>/, anywhere, 'test: a run ends before a suite that waits has its tests'],
  [
    /dangerouslySetInnerHTML|innerHTML|insertAdjacentHTML|document\.write/,
    /^(test|tools)\//,
    'text nodes: ledger texts are not markup',
  ],
  [/^\s*(export )?(declare )?(enum|namespace) /, anywhere, 'a union: only erasable syntax runs'],
]

const folders = /^(bin|src|test|bench|attack|tools)\//
const vagueNames = /(^|\/)(utils?|common|helpers?|misc)(\/|\.ts$)|\/index\.ts$/
const kebabCase = /^[a-z0-9]+(-[a-z0-9]+)*(\.(test|contract|cases))?\.(tsx?|mjs|sql)$/
const header = { ts: /^\/\/ \S/, tsx: /^\/\/ \S/, mjs: /^\/\/ \S/, sql: /^-- \S/ } as const

function problemsIn(file: string, text: string): string[] {
  const lines = text.split('\n')
  const problems = [...nameProblems(file), ...headerProblems(file, lines)]
  if (file === 'test/tidy.test.ts') return problems // It must contain what it bans.
  for (const [index, line] of lines.entries()) {
    const at = `${file}:${index + 1}`
    for (const [what, except, instead] of banned) {
      if (what.test(line) && !except.test(file)) problems.push(`${at}: use ${instead}`)
    }
    for (const [, target] of line.matchAll(/(?:from |import\()'(\.[^']+)'/g)) {
      if (!isAllowed(file, join(dirname(file), target!))) problems.push(`${at}: no import of ${target}`)
    }
  }
  return problems
}

function nameProblems(file: string): string[] {
  const problems: string[] = []
  const number = file.endsWith('.sql') ? /^\d{4}-/ : /^/
  if (!kebabCase.test(basename(file)) || !number.test(basename(file))) problems.push(`${file}: use a kebab-case name`)
  if (vagueNames.test(file)) problems.push(`${file}: name what it owns`)
  const [, folder] = file.split('/')
  if (file.startsWith('src/') && !Object.hasOwn(mayImport, folder!)) {
    problems.push(`${file}: src/${folder} is no part of the architecture`)
  }
  const composition = compositions[folder!]
  if (composition !== undefined && dirname(file) === `src/${folder}`) {
    if (!composition.includes(basename(file))) problems.push(`${file}: put it into a room`)
  }
  return problems
}

/** A test beside its source needs no header, because the source and the titles say enough. */
function headerProblems(file: string, [first = '']: string[]): string[] {
  if (/^src\/.*\.test\.ts$/.test(file)) return []
  const wanted = header[file.split('.').at(-1) as keyof typeof header]
  return wanted.test(first) ? [] : [`${file}:1: say first what the file owns`]
}

function isAllowed(file: string, target: string): boolean {
  if (!file.startsWith('src/')) return folders.test(target) || target === 'package.json'
  if (/\.(test|contract)\.ts$/.test(file)) return /^(src|test\/(fixtures|support))\//.test(target)
  if (target === 'package.json') return file === 'src/base/version.ts'
  if (target.startsWith('bin/')) return file.startsWith('src/kit/child')
  const folder = file.split('/')[1]!
  const allowed = mayImport[folder] ?? []
  if (!isBelow(file, target)) return false
  return [`${folder}/`, ...allowed].some((name) => target.startsWith(`src/${name}`))
}

function isBelow(file: string, target: string): boolean {
  for (const [folder, floors] of Object.entries(rooms)) {
    const [from, to] = [file, target].map((path) =>
      path.startsWith(`src/${folder}/`) ? floors.indexOf(path.split('/')[folder.split('/').length + 1]!) : -1,
    )
    if (from! >= 0 && to! > from!) return false
    if (from! >= 0 && compositions[folder]?.some((name) => target === `src/${folder}/${name}`)) return false
  }
  return true
}

/** Files that import each other, directly or indirectly; type imports count. */
function circlesAmong(imports: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>()
  const circles: string[] = []
  function visit(file: string, path: readonly string[]): void {
    const start = path.indexOf(file)
    if (start >= 0) circles.push([...path.slice(start), file].join(' → '))
    if (start >= 0 || done.has(file)) return
    for (const target of imports.get(file) ?? []) visit(target, [...path, file])
    done.add(file)
  }
  for (const file of imports.keys()) visit(file, [])
  return circles
}

function importsOf(file: string, text: string): string[] {
  return [...text.matchAll(/(?:from |import\()'(\.[^']+)'/g)].map(([, target]) => join(dirname(file), target!))
}

describe('the code', () => {
  const files = globSync('{bin,src,test,bench,attack,tools}/**/*.{ts,tsx,mjs,sql}', {
    exclude: ['**/node_modules/**'],
  }).map((file) => file.replaceAll(sep, '/'))

  test('is tidy', () => {
    const problems = files.flatMap((file) => problemsIn(file, readFileSync(file, 'utf8')))
    assert.deepEqual(problems, [])
  })

  test('has no circle of imports', () => {
    assert.deepEqual(
      circlesAmong(new Map(files.map((file) => [file, importsOf(file, readFileSync(file, 'utf8'))]))),
      [],
    )
  })

  test('names no file in a comment that does not exist', () => {
    const names = new Set(files.map((file) => basename(file)))
    const named = files.flatMap((file) => {
      const comments = readFileSync(file, 'utf8').match(/^ *(\/\/|\*|\/\*\*|--) .*$/gm) ?? []
      const mentioned = comments.flatMap((line) => line.match(/(?<=[\s/(`])[a-z][\w-]*\.(ts|tsx|mjs|sql)\b/g) ?? [])
      return mentioned.filter((name) => !names.has(name)).map((name) => `${file}: ${name}`)
    })
    assert.deepEqual(named, [])
  })

  test('opens a database driver only in open-database.ts', () => {
    const openers = files.filter((file) => {
      if (!file.startsWith('src/') || notProduct.test(file)) return false
      return /\/(sqlite\/sqlite|postgres\/postgres)\.ts'/.test(readFileSync(file, 'utf8'))
    })
    assert.deepEqual(openers, ['src/node/open-database.ts'])
  })

  test('is where the benchmark of a command looks for its stages', () => {
    assert.deepEqual(
      placesOfStages.filter((place) => !existsSync(place)),
      [],
    )
  })

  test('has migrations that are numbered without gaps', () => {
    const numbers = files
      .filter((file) => file.startsWith('src/store/schema/migrations/'))
      .map((file) => basename(file).slice(0, 4))
    const expected = numbers.map((_, index) => String(15 + index).padStart(4, '0')) // No earlier one was released.
    assert.deepEqual(numbers.toSorted(), expected)
    assert.notEqual(numbers.length, 0)
  })
})

describe('the tidy rules', () => {
  const rows: [title: string, file: string, text: string, problems: string[]][] = [
    ['let a good file pass', 'src/auth/claims.ts', "// Owns claims.\nimport { x } from '../base/x.ts'\n", []],
    ['want a header', 'src/base/x.ts', 'const x = 1\n', ['src/base/x.ts:1: say first what the file owns']],
    [
      'know the direction of imports',
      'src/auth/x.ts',
      "// Owns x.\nimport type { Store } from '../store/core/store.ts'\n",
      ['src/auth/x.ts:2: no import of ../store/core/store.ts'],
    ],
    [
      'see an import on demand too',
      'src/http/x.ts',
      "// Owns x.\nawait import('../store/sqlite/sqlite.ts')\n",
      ['src/http/x.ts:2: no import of ../store/sqlite/sqlite.ts'],
    ],
    [
      'open the store to the ledger by its interface only',
      'src/ledger/model/x.ts',
      "// Owns x.\nimport { a } from '../../store/core/store.ts'\nimport { b } from '../../store/records/users.ts'\n",
      ['src/ledger/model/x.ts:3: no import of ../../store/records/users.ts'],
    ],
    [
      'know the rooms of a folder',
      'src/engine/values/x.ts',
      "// Owns x.\nimport { a } from '../failures/steps.ts'\nimport { b } from '../pool/pool.ts'\n",
      ['src/engine/values/x.ts:3: no import of ../pool/pool.ts'],
    ],
    [
      'let no room import what puts the rooms together',
      'src/ledger/model/x.ts',
      "// Owns x.\nimport type { Ledger } from '../ledger.ts'\n",
      ['src/ledger/model/x.ts:2: no import of ../ledger.ts'],
    ],
    ['want files in rooms', 'src/ledger/x.ts', '// Owns x.\n', ['src/ledger/x.ts: put it into a room']],
    [
      'draw no fresh seed in tests',
      'src/ledger/model/x.test.ts',
      "import fc from 'fast-check'",
      ['src/ledger/model/x.test.ts:1: use fc and testSeed of test/fixtures/seed.ts: a run repeats'],
    ],
    ['keep time in base', 'src/auth/x.ts', '// Owns x.\nDate.now()\n', ['src/auth/x.ts:2: use Clock or Random']],
    [
      'keep the environment in cli',
      'src/node/node.ts',
      '// Owns x.\nprocess.env.HOME\n',
      ['src/node/node.ts:2: use settings from cli/'],
    ],
    [
      'keep the explorer apart from the node, and from markup',
      'src/explorer/pages/x.tsx',
      "// Owns x.\nimport { a } from '../../http/wire/state.ts'\nelement.innerHTML = a\n",
      [
        'src/explorer/pages/x.tsx:2: no import of ../../http/wire/state.ts',
        'src/explorer/pages/x.tsx:3: use text nodes: ledger texts are not markup',
      ],
    ],
    ['want kebab-case', 'src/base/someThing.ts', '// Owns x.\n', ['src/base/someThing.ts: use a kebab-case name']],
    ['want telling names', 'src/base/utils.ts', '// Owns x.\n', ['src/base/utils.ts: name what it owns']],
    [
      'know the folders',
      'src/services/x.ts',
      '// Owns x.\n',
      ['src/services/x.ts: src/services is no part of the architecture'],
    ],
    [
      'find a test that stands alone',
      'test/e2e/x.test.ts',
      "// Owns x.\ntest.only('x', () => {})\n",
      ['test/e2e/x.test.ts:2: use nothing: run them all'],
    ],
  ]
  for (const [title, file, text, problems] of rows) {
    test(title, () => assert.deepEqual(problemsIn(file, text), problems))
  }
})
