// Runs a file with the Node that the project uses, for npm scripts: node tools/with-runtime.mjs FILE [ARGUMENT]…
// npm's own scripts run on whatever Node started npm. Runs under every Node from 20 on.
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { oldestMajor, runtimePath } from '../bin/runtime.mjs'

const isNewEnough = Number.parseInt(process.versions.node, 10) >= oldestMajor
const child = spawn(isNewEnough ? process.execPath : runtimePath(), process.argv.slice(2), { stdio: 'inherit' })
// A terminal signals the child itself. Whoever signals this process alone means the child.
process.on('SIGINT', () => undefined)
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)))
