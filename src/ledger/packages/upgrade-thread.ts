// The thread that checks upgrades between large packages, posts its verdicts, and ends.
import { parentPort, workerData } from 'node:worker_threads'
import { confineThread } from '../../base/confinement.ts'
import { answerTo, type UpgradeQuestion } from './upgrade-questions.ts'

confineThread()
parentPort!.postMessage(answerTo(workerData as UpgradeQuestion))
