// Every command of the program, in the order of its help.
import type { Commands } from '../command-line.ts'
import { checkCommand } from './check.ts'
import { codegenCommand } from './codegen.ts'
import { completionCommand } from './completion.ts'
import { configCommand } from './config.ts'
import { contractCommand } from './contract.ts'
import { contractsCommand } from './contracts.ts'
import { createCommand } from './create.ts'
import { darCheckCommand } from './dar-check.ts'
import { darInspectCommand } from './dar-inspect.ts'
import { darListCommand } from './dar-list.ts'
import { darUploadCommand } from './dar-upload.ts'
import { diffCommand } from './diff.ts'
import { execCommand } from './exec.ts'
import { exerciseCommand } from './exercise.ts'
import { explorerCommand } from './explorer.ts'
import { faultsAddCommand, faultsListCommand, faultsRemoveCommand } from './faults.ts'
import { initCommand } from './init.ts'
import { keyMoveCommand } from './key-move.ts'
import { localnetCommand } from './localnet.ts'
import { logsCommand } from './logs.ts'
import { networkCommand } from './network.ts'
import {
  participantConnectCommand,
  participantDelayCommand,
  participantDisconnectCommand,
  participantListCommand,
  participantResumeCommand,
  participantStopCommand,
} from './participant.ts'
import { partyAddCommand, partyListCommand, partyShowCommand } from './party.ts'
import { pruneCommand } from './prune.ts'
import { pipelineCommand, queryStoreCommand } from './query-store.ts'
import { rehearseCommand } from './rehearse.ts'
import { rejectionsCommand } from './rejections.ts'
import { sandboxCommand } from './sandbox.ts'
import { scriptCommand } from './script.ts'
import { snapshotExportCommand, snapshotImportCommand } from './snapshot-files.ts'
import {
  resetCommand,
  restoreCommand,
  snapshotCommand,
  snapshotDeleteCommand,
  snapshotListCommand,
} from './snapshots.ts'
import { sqlCommand } from './sql.ts'
import { startCommand } from './start.ts'
import { statusCommand } from './status.ts'
import { submitCommand } from './submit.ts'
import { testCommand } from './test.ts'
import { timeCommand } from './time.ts'
import { tokenCommand } from './token.ts'
import { tokenInstrumentCommand } from './token-instrument.ts'
import { tokenBurnCommand, tokenMintCommand } from './token-mint.ts'
import { tokenRegistryCommand } from './token-registry.ts'
import {
  transferAcceptCommand,
  transferCommand,
  transferListCommand,
  transferRejectCommand,
  transferWithdrawCommand,
} from './transfer.ts'
import { updateCommand } from './update.ts'
import { updatesCommand } from './updates.ts'
import { userAddCommand, userDeleteCommand, userGrantCommand, userListCommand, userRevokeCommand } from './user.ts'
import { balanceCommand, tapCommand } from './wallet.ts'
import { worldExportCommand } from './world-export.ts'

export const commands: Commands = {
  start: startCommand,
  network: networkCommand,
  sandbox: sandboxCommand,
  localnet: localnetCommand,
  exec: execCommand,
  test: testCommand,
  script: scriptCommand,
  status: statusCommand,
  token: tokenCommand,
  'token instrument': tokenInstrumentCommand,
  'token mint': tokenMintCommand,
  'token burn': tokenBurnCommand,
  'token registry': tokenRegistryCommand,
  explorer: explorerCommand,
  'party add': partyAddCommand,
  'party list': partyListCommand,
  'party show': partyShowCommand,
  'user add': userAddCommand,
  'user list': userListCommand,
  'user grant': userGrantCommand,
  'user revoke': userRevokeCommand,
  'user delete': userDeleteCommand,
  'dar inspect': darInspectCommand,
  'dar check': darCheckCommand,
  'dar upload': darUploadCommand,
  'dar list': darListCommand,
  create: createCommand,
  exercise: exerciseCommand,
  contracts: contractsCommand,
  contract: contractCommand,
  updates: updatesCommand,
  update: updateCommand,
  logs: logsCommand,
  submit: submitCommand,
  rejections: rejectionsCommand,
  'faults add': faultsAddCommand,
  'faults list': faultsListCommand,
  'faults remove': faultsRemoveCommand,
  'participant list': participantListCommand,
  'participant connect': participantConnectCommand,
  'participant disconnect': participantDisconnectCommand,
  'participant stop': participantStopCommand,
  'participant resume': participantResumeCommand,
  'participant delay': participantDelayCommand,
  tap: tapCommand,
  balance: balanceCommand,
  transfer: transferCommand,
  'transfer list': transferListCommand,
  'transfer accept': transferAcceptCommand,
  'transfer reject': transferRejectCommand,
  'transfer withdraw': transferWithdrawCommand,
  snapshot: snapshotCommand,
  'snapshot list': snapshotListCommand,
  'snapshot delete': snapshotDeleteCommand,
  'snapshot export': snapshotExportCommand,
  'snapshot import': snapshotImportCommand,
  restore: restoreCommand,
  reset: resetCommand,
  time: timeCommand,
  prune: pruneCommand,
  check: checkCommand,
  sql: sqlCommand,
  diff: diffCommand,
  rehearse: rehearseCommand,
  'query-store': queryStoreCommand,
  pipeline: pipelineCommand,
  config: configCommand,
  'key move': keyMoveCommand,
  codegen: codegenCommand,
  init: initCommand,
  'world export': worldExportCommand,
  completion: completionCommand(() => commands),
}
