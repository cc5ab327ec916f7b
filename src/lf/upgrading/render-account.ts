// Renders an account of DAR files for a terminal: first the problems, then, by module, what breaks and what was added.
import type { DarAccount, DarProblem, UpgradeAccount } from './account.ts'

/** Lines of one part of a change; longer lists are cut. */
const linesMax = 200

export function renderAccount(account: DarAccount): string {
  const { name, version, packageId, problems, upgrades } = account
  const title = `${name} ${version}  ${packageId}`
  const wrong = problems.flatMap(renderProblem)
  return [[title, ...wrong].join('\n'), ...upgrades.map(renderUpgrade), conclusionOf(account)].join('\n\n')
}

export function isAcceptable({ problems, upgrades }: DarAccount): boolean {
  return problems.length === 0 && upgrades.every(({ breaks }) => breaks.length === 0)
}

/** Types of a mismatch are on lines of their own. */
function renderProblem({ code, message }: DarProblem): string[] {
  return [`  wrong: ${message.replaceAll('\n', '\n    ')}`, `    ${code}`]
}

function renderUpgrade({ past, present, breaks, additions }: UpgradeAccount): string {
  const verdict = breaks.length === 0 ? 'a valid upgrade' : 'not a valid upgrade'
  const isUnchanged = breaks.length === 0 && additions.length === 0
  return [
    `${present.name} ${past.version} → ${present.version}: ${verdict}`,
    ...(breaks.length > 0 ? ['  breaks', ...cut(breaks.flatMap(renderChange))] : []),
    ...(additions.length > 0 ? ['  added', ...cut(additions.flatMap(renderChange))] : []),
    ...(isUnchanged ? ['  no type changed'] : []),
  ].join('\n')
}

type Change = {
  readonly module: string | undefined
  readonly subject: string
  readonly changes: readonly string[]
  readonly message?: string
}

function renderChange({ module, subject, changes, message }: Change): string[] {
  const place = module === undefined ? subject : `${module}: ${subject}`
  const what = changes.map((change) => `    ${place}: ${change}`)
  return message === undefined ? what : [...what, `      ${message.replaceAll('\n', ' ')}`]
}

function cut(lines: readonly string[]): string[] {
  const more = lines.length - linesMax
  return more <= 0 ? [...lines] : [...lines.slice(0, linesMax), `    … and ${more} lines more; --json shows them all`]
}

function conclusionOf(account: DarAccount): string {
  const { upgrades, problems } = account
  const broken = upgrades.filter(({ breaks }) => breaks.length > 0).length
  if (problems.length > 0 || broken > 0) return `a node would refuse it: ${counted(broken + problems.length)}`
  if (upgrades.length === 0) return 'the packages are valid; name other versions with --against to compare them'
  return upgrades.length === 1 ? 'the upgrade is valid' : `all ${upgrades.length} upgrades are valid`
}

const counted = (count: number): string => (count === 1 ? 'one thing is wrong' : `${count} things are wrong`)
