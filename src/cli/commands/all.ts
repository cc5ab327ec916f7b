// Every command of the program, in the order of its help.
import type { Commands } from '../command-line.ts'
import { checkCommand } from './check.ts'
import { codegenCommand } from './codegen.ts'
import { configCommand } from './config.ts'
import { darCheckCommand } from './dar-check.ts'
import { darInspectCommand } from './dar-inspect.ts'
import { darUploadCommand } from './dar-upload.ts'
import { keyMoveCommand } from './key-move.ts'
import { pruneCommand } from './prune.ts'
import { sqlCommand } from './sql.ts'
import { startCommand } from './start.ts'
import { statusCommand } from './status.ts'
import { tokenCommand } from './token.ts'
import { worldExportCommand } from './world-export.ts'

export const commands: Commands = {
  start: startCommand,
  status: statusCommand,
  token: tokenCommand,
  prune: pruneCommand,
  check: checkCommand,
  sql: sqlCommand,
  config: configCommand,
  'key move': keyMoveCommand,
  'dar inspect': darInspectCommand,
  'dar check': darCheckCommand,
  'dar upload': darUploadCommand,
  codegen: codegenCommand,
  'world export': worldExportCommand,
}
