// The licences of the packages in the bundle, which require their text to be distributed with the code.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** One section per package that one of `inputs` belongs to. */
export function thirdPartyLicenses(root, inputs) {
  const folders = new Set(inputs.map(packageFolder).filter((folder) => folder !== undefined))
  const sections = [...folders].sort().map((folder) => section(join(root, folder)))
  return `Tallystick contains code of these packages.\n\n${sections.join('\n')}`
}

/** The innermost package that a file belongs to, as node_modules/NAME or node_modules/@SCOPE/NAME. */
function packageFolder(input) {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0]
}

function section(folder) {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const files = readdirSync(folder)
    .filter((file) => /^(licen[cs]e|notice|copying)([.-]|$)/i.test(file))
    .sort()
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8').trim())
  const text = texts.length > 0 ? texts.join('\n\n') : licenseByName(manifest)
  return `${'-'.repeat(80)}\n${manifest.name} ${manifest.version} (${manifest.license})\n\n${text}\n`
}

/** Some packages name their licence but do not contain its text. */
function licenseByName({ license, author, homepage, repository }) {
  const by = typeof author === 'object' ? author.name : author
  const at = homepage ?? repository?.url ?? repository
  return [`The package carries no text of its licence: ${license}.`, by && `Author: ${by}`, at]
    .filter(Boolean)
    .join('\n')
}
