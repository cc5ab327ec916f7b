// Code generators that npm has, and the compiler over what they made: one program each, written against the names that
// Canton's document gives (tools/generators/programs). Generators and their dependencies are in tools/generators, apart
// from those of the project: two of them need TypeScript 5, which has an API, and they bring a hundred packages.
import { execFile } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('../generators', import.meta.url))
const compiler = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url))

export const programOf = (name: string): string => join(folder, 'programs', name)

type Generator = {
  /** The arguments of node: a script, and what it takes. */
  readonly commandLine: (document: string, into: string) => readonly string[]
}

const script = (path: string) => join(folder, 'node_modules', path)

export const npmGenerators: Readonly<Record<string, Generator>> = {
  'openapi-typescript': {
    commandLine: (document, into) => [
      ...[script('openapi-typescript/bin/cli.js'), document, '-o', join(into, 'api.ts')],
    ],
  },
  'hey-api': {
    commandLine: (document, into) => [script('@hey-api/openapi-ts/bin/run.js'), '-i', document, '-o', into],
  },
  orval: {
    commandLine: (document, into) => [
      ...[
        script('orval/dist/bin/orval.mjs'),
        '--input',
        document,
        '--output',
        join(into, 'api.ts'),
        '--client',
        'fetch',
      ],
    ],
  },
}

/** Whether the generators are installed (node tools/ready.mjs --generators). */
export const areInstalled = (): boolean => existsSync(join(folder, 'node_modules', '.package-lock.json'))

/** Generates from a document and compiles the program; what went wrong, or "". */
export async function tryNpmGenerator(name: string, document: string, into: string): Promise<string> {
  const generated = join(into, 'generated')
  mkdirSync(generated, { recursive: true })
  const failure = await run(process.execPath, npmGenerators[name]!.commandLine(document, generated), into)
  if (failure !== '') return failure
  copyFileSync(programOf(`${name}.ts`), join(into, 'program.ts'))
  return compile(into)
}

/** As applications have it that use such code: strict, with the types of a browser. */
const compilerOptions = {
  ...{ target: 'esnext', lib: ['esnext', 'dom', 'dom.iterable'], module: 'esnext', moduleResolution: 'bundler' },
  ...{ types: [], strict: true, noEmit: true, skipLibCheck: true },
}

export function compile(into: string): Promise<string> {
  writeFileSync(join(into, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['**/*.ts'] }))
  return run(process.execPath, [compiler, '-p', into], into)
}

const withinMs = 600_000

/** What a command said when it failed, or "". */
export function run(command: string, args: readonly string[], cwd: string): Promise<string> {
  return new Promise((resolve) => {
    execFile(command, args, { cwd, maxBuffer: 2 ** 26, timeout: withinMs }, (error, output, errors) =>
      resolve(error === null ? '' : `${output}${errors}`.trim() || error.message),
    )
  })
}
