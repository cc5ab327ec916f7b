// openapi-generator (a jar from Maven Central) for four languages, each with a program and its compiler: mvn, cargo,
// python3 with pydantic, tsc.
import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { compile, programOf, run } from './generators.ts'

/** Puts the program beside the generated code and compiles both; returns the error, or "". */
type Check = (project: string) => Promise<string>

const languages: Readonly<Record<string, Check>> = {
  async java(project) {
    copyFileSync(programOf('Main.java'), join(project, 'src/main/java/Main.java'))
    return run('mvn', ['-q', '-B', 'compile'], project)
  },
  async python(project) {
    copyFileSync(programOf('main.py'), join(project, 'main.py'))
    return run('python3', ['main.py'], project)
  },
  async rust(project) {
    mkdirSync(join(project, 'src/bin'), { recursive: true })
    copyFileSync(programOf('main.rs'), join(project, 'src/bin/main.rs'))
    return run('cargo', ['check', '--quiet', '--target-dir', join(project, '../../rust-target')], project)
  },
  async 'typescript-fetch'(project) {
    const folder = join(project, '..')
    copyFileSync(programOf('typescript-fetch.ts'), join(folder, 'program.ts'))
    return compile(folder)
  },
}

export const openApiGeneratorLanguages: readonly string[] = Object.keys(languages)

export async function tryOpenApiGenerator(
  jar: string,
  language: string,
  document: string,
  into: string,
): Promise<string> {
  const project = join(into, 'generated')
  mkdirSync(project, { recursive: true })
  // A fixed crate version, because the two documents that share this folder have different ones.
  const names = language === 'rust' ? ['--additional-properties', 'packageVersion=1.0.0'] : []
  const generate = ['-jar', jar, 'generate', '-g', language, '-i', document, '-o', project, ...names]
  const failure = await run('java', generate, into)
  return failure === '' ? languages[language]!(project) : failure
}
