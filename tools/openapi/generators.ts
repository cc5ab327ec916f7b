// Code generators from npm, each with a program written against the names in Canton's document
// (tools/generators/programs) and compiled with what was generated. Generators and their dependencies are kept apart in
// tools/generators: two of them need the API of TypeScript 5, and they bring a hundred packages.
import { execFile } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('../generators', import.meta.url))
const compiler = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url))

export const programOf = (name: string): string => join(folder, 'programs', name)

type Generator = {
  /** The arguments of node: a script and its arguments. */
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

/** Whether the generators are installed (node tools/ready.mjs --for-tests). */
export const areInstalled = (): boolean => existsSync(join(folder, 'node_modules', '.package-lock.json'))

/** Generates code from a document and compiles the program; returns the error, or "". */
export async function tryNpmGenerator(name: string, document: string, into: string): Promise<string> {
  const generated = join(into, 'generated')
  mkdirSync(generated, { recursive: true })
  const failure = await run(process.execPath, npmGenerators[name]!.commandLine(document, generated), into)
  if (failure !== '') return failure
  copyFileSync(programOf(`${name}.ts`), join(into, 'program.ts'))
  return compile(into)
}

/** The options of typical applications: strict, with browser types. */
const compilerOptions = {
  target: 'esnext',
  lib: ['esnext', 'dom', 'dom.iterable'],
  module: 'esnext',
  moduleResolution: 'bundler',
  types: [],
  strict: true,
  noEmit: true,
  skipLibCheck: true,
}

export function compile(into: string): Promise<string> {
  writeFileSync(join(into, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['**/*.ts'] }))
  return run(process.execPath, [compiler, '-p', into], into)
}

const withinMs = 600_000

/** The output of a failed command, or "". */
export function run(command: string, args: readonly string[], cwd: string): Promise<string> {
  return new Promise((resolve) => {
    execFile(command, args, { cwd, maxBuffer: 2 ** 26, timeout: withinMs }, (error, output, errors) =>
      resolve(error === null ? '' : `${output}${errors}`.trim() || error.message),
    )
  })
}
