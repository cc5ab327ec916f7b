// Every question that the ledger answers. Those that run other scripts are answered where scripts run (run-script.ts).
import { cryptoQuestions } from './crypto.ts'
import { packageQuestions } from './packages.ts'
import { partyQuestions } from './parties.ts'
import { queryQuestions } from './queries.ts'
import type { AnswerQuestion } from './question.ts'
import { submitQuestions } from './submit.ts'
import { timeQuestions } from './time.ts'
import { userQuestions } from './users.ts'

export const ledgerQuestions: ReadonlyMap<string, AnswerQuestion> = new Map([
  ...submitQuestions,
  ...queryQuestions,
  ...partyQuestions,
  ...userQuestions,
  ...packageQuestions,
  ...timeQuestions,
  ...cryptoQuestions,
])
