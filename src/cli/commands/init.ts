// tallystick init: a new project, copied from the sample in examples/.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { StartError } from '../../base/errors.ts'
import { ownVersion } from '../../base/version.ts'
import type { Command } from '../command.ts'

/** Of a project: what its programs write. npm leaves .gitignore out of a package, so it is written rather than copied. */
export const ignoredNames = ['node_modules', 'build', '.daml', '.tallystick', 'openapi.json']

/** Seen from the bundle, and from the sources. */
const rootPlaces = ['..', '../../..']

export const initCommand: Command = {
  summary: 'write a new project: Daml sources, a TypeScript application, tests, CI',
  usage: 'tallystick init [FOLDER]',
  optionalOperands: ['FOLDER'],
  options: {},
  notes: 'FOLDER is the current one unless given. It is created if it does not exist, and must be empty if it does.',
  async run(_flags, { print }, [folder = '.']) {
    const target = resolve(folder)
    try {
      refuseContent(folder)
      const root = ownRoot()
      writeProject(join(root, 'examples', 'iou-desk'), target)
      writeManifest(target, dependencyOn(root))
    } catch (error) {
      if ((error as { syscall?: string }).syscall === undefined) throw error
      throw new StartError(`cannot write the project: ${(error as Error).message}`)
    }
    const cd = folder === '.' ? [] : [/^[\w./\\:-]+$/.test(folder) ? `cd ${folder}` : `cd "${folder}"`]
    const steps = [...cd, 'npm install', 'npm test', 'npm run demo']
    print(`wrote a project to ${target}\n\n${steps.map((step) => `  ${step}`).join('\n')}\n\nREADME.md tells more.`)
  },
}

function refuseContent(folder: string): void {
  if (!existsSync(folder)) return
  if (!statSync(folder).isDirectory()) throw new StartError(`${folder} is not a folder`)
  if (readdirSync(folder).every((name) => name === '.git')) return
  throw new StartError(`${folder === '.' ? 'this folder' : folder} is not empty; name a new one: ${initCommand.usage}`)
}

function ownRoot(): string {
  const places = rootPlaces.map((place) => fileURLToPath(new URL(place, import.meta.url)))
  return places.find((place) => existsSync(join(place, 'examples')))!
}

function writeProject(sample: string, target: string): void {
  mkdirSync(target, { recursive: true })
  const isWanted = (source: string) =>
    !relative(sample, source)
      .split(/[\\/]/)
      .some((name) => ignoredNames.includes(name))
  cpSync(sample, target, { recursive: true, filter: isWanted })
  writeFileSync(join(target, '.gitignore'), `${ignoredNames.join('\n')}\n`)
}

function writeManifest(target: string, tallystick: string): void {
  const file = join(target, 'package.json')
  const manifest = JSON.parse(readFileSync(file, 'utf8'))
  manifest.name = packageName(basename(target)) ?? manifest.name
  manifest.devDependencies.tallystick = tallystick
  writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`)
}

/** The name of the folder, if npm takes it. */
function packageName(folder: string): string | undefined {
  const name = folder.toLowerCase()
  return /^[a-z0-9][a-z0-9._-]{0,213}$/.test(name) ? name : undefined
}

/** A clone has sources, and no registry has its version. */
function dependencyOn(root: string): string {
  return existsSync(join(root, 'src')) ? `file:${resolve(root).replaceAll('\\', '/')}` : ownVersion
}
