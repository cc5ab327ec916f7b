// The rows of the benchmark.
import { bytesOfCommand, cpuOfCommand } from './command-rows.ts'
import { cpuOfProcesses, cpuOverPostgres } from './database-cost.ts'
import { decoding } from './decoding.ts'
import { askingFirst, besideBurning, throughPool } from './engine.ts'
import { heapOfPages, submittingBesidePage } from './explorer.ts'
import { findingAtSize, listOfLargeUpdates, sortingAtSize } from './explorer-finding.ts'
import { idleMemoryWithExplorer, startToReadyWithExplorer } from './explorer-switched-on.ts'
import { fromKillToCommit } from './failover.ts'
import { forking } from './fork.ts'
import { getUser } from './get-user.ts'
import { committingBesideGrpc, submittingOverGrpc, updatesOverGrpc } from './grpc.ts'
import { memoryOfIdleStreams, submittingBesideStreams } from './idle-streams.ts'
import { interpretation } from './interpretation.ts'
import { memory, readingLarge, startLarge } from './large-ledger.ts'
import { founding, memoryOfLocalnet, startOfLocalnet, transfersThroughRegistry } from './localnet.ts'
import { cpuSeenByTwo, memoryOfNetwork, startOfNetwork } from './network.ts'
import { missesElsewhere } from './other-nodes.ts'
import { packageMemory } from './package-memory.ts'
import { pastActiveContracts } from './past-contracts.ts'
import { committingBesidePruning } from './pruning.ts'
import { askingWithIndex, besideCommits, catchingUp, lag } from './query-store.ts'
import { pagesOfTrees } from './reading.ts'
import { reassignments } from './reassign.ts'
import { firstResult, hundredScripts } from './scripts.ts'
import { commandsOf, readsOf } from './several-processes.ts'
import { firstNode, furtherNode, hundredNodes, restoreInProcess, snapshots } from './snapshots.ts'
import { startToReady } from './start-to-ready.ts'
import { submitAgainstDatabase, submitAndWait, submitAsync } from './submit.ts'
import { besideUploads, uploadUntilUsed } from './uploads.ts'
import { updatesOverWebSocket } from './websocket.ts'

/** `note` says under which circumstances, where a run chooses them. */
export type Measured = { ours: number; theirs: number; unit: string; ratio: number; note?: string }

export type Row = {
  readonly name: string
  readonly baseline: string
  /** Undefined for numbers that are only reported. */
  readonly aim?: { readonly least?: number; readonly most?: number }
  /** A row that needs what is not there says so. */
  run(): Promise<Measured | { readonly skipped: string }>
}

export const rows: Row[] = [
  {
    name: 'authenticated GET /v2/users/{id}, 32 connections',
    baseline: 'bare Fastify route returning the same bytes',
    aim: { least: 0.6 },
    run: getUser,
  },
  {
    name: 'start to ready, existing SQLite ledger',
    baseline: 'bare Node HTTP server',
    aim: { most: 2.5 },
    run: () => startToReady('existing'),
  },
  {
    name: 'start to ready, first start in an empty folder',
    baseline: 'bare Node HTTP server',
    aim: { most: 2.5 },
    run: () => startToReady('fresh'),
  },
  {
    name: 'engine: a quickstart transfer of five nodes, warm, one thread',
    baseline: 'the aim',
    aim: { most: 1 },
    run: interpretation,
  },
  {
    name: 'engine: decoding packages',
    baseline: 'the aim',
    aim: { least: 1 },
    run: decoding,
  },
  {
    name: 'engine: heap of one open package, on average',
    baseline: 'its own bytes',
    run: packageMemory,
  },
  {
    name: 'engine: CreateAndExercise through the pool, 1 thread, 16 in flight',
    baseline: 'in the process',
    run: () => throughPool(1),
  },
  {
    name: 'engine: CreateAndExercise through the pool, 2 threads, 16 in flight',
    baseline: 'in the process',
    run: () => throughPool(2),
  },
  {
    name: 'engine: Exercise of a contract that the thread has to ask for, 2 threads, 16 in flight',
    baseline: 'brought along',
    run: () => askingFirst(2),
  },
  {
    name: 'engine: 99th percentile of small requests while a command burns its budget',
    baseline: 'the aim',
    aim: { most: 1 },
    run: besideBurning,
  },
  {
    name: 'packages: a DAR of 50 packages, uploaded, checked and used by a command',
    baseline: 'the aim',
    aim: { most: 1 },
    run: uploadUntilUsed,
  },
  {
    name: 'packages: 99th percentile of other requests while DARs of 50 packages are uploaded',
    baseline: 'the aim',
    aim: { most: 1 },
    run: besideUploads,
  },
  {
    name: 'ledger: async submit of a CreateAndExercise, 32 connections, SQLite',
    baseline: 'bare Node HTTP server that parses the same body and answers {}',
    aim: { least: 0.35 },
    run: () => submitAsync('sqlite'),
  },
  {
    name: 'ledger: the same submissions against the database alone, SQLite',
    baseline: 'our store writing the rows of these commands, 16 per transaction, and nothing else',
    run: submitAgainstDatabase,
  },
  {
    name: 'ledger: submit-and-wait, one connection, median latency, SQLite',
    baseline: 'the same bare server',
    aim: { most: 4 },
    run: () => submitAndWait('sqlite'),
  },
  {
    name: 'ledger: CPU of all threads for a CreateAndExercise, 32 connections, SQLite',
    baseline: 'the aim',
    aim: { most: 1 },
    run: cpuOfCommand,
  },
  {
    name: 'ledger: bytes of SQLite for a CreateAndExercise',
    baseline: 'the aim',
    aim: { most: 1 },
    run: bytesOfCommand,
  },
  {
    name: 'ledger: async submit of a CreateAndExercise, 32 connections, PostgreSQL',
    baseline: 'the same bare server',
    run: () => submitAsync('postgres'),
  },
  {
    name: 'ledger: submit-and-wait, one connection, median latency, PostgreSQL',
    baseline: 'the same bare server',
    run: () => submitAndWait('postgres'),
  },
  {
    name: 'processes: CPU of a CreateAndExercise, database included, one process over PostgreSQL',
    baseline: 'one process over SQLite',
    aim: { most: 1.4 },
    run: cpuOverPostgres,
  },
  {
    name: 'processes: CPU of a CreateAndExercise, database included, 2 processes over PostgreSQL',
    baseline: 'one process over PostgreSQL',
    aim: { most: 1.15 },
    run: () => cpuOfProcesses(2),
  },
  {
    name: 'processes: contracts and rights of one node that another of three does not find at once, PostgreSQL',
    baseline: 'all that were looked for',
    aim: { most: 0 },
    run: missesElsewhere,
  },
  ...(['sqlite', 'postgres'] as const).map(
    (kind): Row => ({
      name: `pruning: CPU of a CreateAndExercise while pruned rows are deleted, ${kind === 'sqlite' ? 'SQLite' : 'PostgreSQL'}`,
      baseline: 'nothing is deleted',
      aim: { most: 1.1 },
      run: () => committingBesidePruning(kind),
    }),
  ),
  ...[2, 4].flatMap((processes): Row[] => [
    {
      name: `processes: async submit, ${processes} processes, 32 connections, PostgreSQL`,
      baseline: 'one process',
      run: () => commandsOf(processes),
    },
    {
      name: `processes: pages of ten updates, ${processes} processes, 32 connections, PostgreSQL`,
      baseline: 'one process',
      run: () => readsOf(processes),
    },
  ]),
  {
    name: 'failover: from kill to first commit, PostgreSQL with a synchronous standby that is promoted at once',
    baseline: 'until the promoted server takes a write of a bare client',
    run: fromKillToCommit,
  },
  {
    name: 'ledger: reassignments, each an unassign and an assign that are waited for, 32 connections, SQLite',
    baseline: 'submit-and-wait of a CreateAndExercise by the same clients',
    run: () => reassignments('sqlite'),
  },
  {
    name: 'ledger: pages of 200 of updates/trees over the whole ledger',
    baseline: 'Fastify sending the same bytes from memory',
    aim: { least: 0.5 },
    run: pagesOfTrees,
  },
  {
    name: 'websocket: updates to one reader',
    baseline: 'the same over HTTP, in pages of 200',
    aim: { least: 1 },
    run: () => updatesOverWebSocket(1, 'pages'),
  },
  {
    name: 'websocket: updates to 100 readers at once',
    baseline: 'the same over HTTP, in pages of 200',
    aim: { least: 1 },
    run: () => updatesOverWebSocket(100, 'pages'),
  },
  {
    name: 'websocket: the same updates to one reader, against a bare server',
    baseline: 'the ws package sending the same messages from memory',
    aim: { least: 0.3 },
    run: () => updatesOverWebSocket(1, 'bare'),
  },
  {
    name: 'websocket: the same updates to 100 readers at once, against a bare server',
    baseline: 'the ws package sending the same messages from memory',
    run: () => updatesOverWebSocket(100, 'bare'),
  },
  {
    name: 'websocket: resident memory of an idle stream, one of 1,000',
    baseline: 'the aim',
    aim: { most: 1 },
    run: memoryOfIdleStreams,
  },
  {
    name: 'websocket: submit-and-wait, median latency, while 1,000 streams are told of it',
    baseline: 'nobody listening',
    aim: { most: 4 },
    run: submittingBesideStreams,
  },
  {
    name: 'grpc: SubmitAndWait of a CreateAndExercise, 32 at a time, SQLite',
    baseline: 'the same over HTTP',
    aim: { least: 1 },
    run: () => submittingOverGrpc('http'),
  },
  {
    name: 'grpc: the same SubmitAndWait, against a bare server',
    baseline: '@grpc/grpc-js answering with the same bytes',
    aim: { least: 0.3 },
    run: () => submittingOverGrpc('bare'),
  },
  {
    name: 'grpc: updates to one reader',
    baseline: 'the same over a WebSocket',
    aim: { least: 1 },
    run: () => updatesOverGrpc('websocket'),
  },
  {
    name: 'grpc: the same updates to one reader, against a bare server',
    baseline: '@grpc/grpc-js sending the same messages from memory',
    aim: { least: 0.6 },
    run: () => updatesOverGrpc('bare'),
  },
  {
    name: 'grpc: async submit of a CreateAndExercise over HTTP while nobody uses gRPC',
    baseline: 'a node without gRPC',
    aim: { least: 0.95 },
    run: committingBesideGrpc,
  },
  {
    name: 'network: start to ready, three participants, existing SQLite ledger',
    baseline: 'one participant',
    aim: { most: 1.5 },
    run: startOfNetwork,
  },
  {
    name: 'network: resident memory, three idle participants',
    baseline: 'one participant',
    aim: { most: 1.3 },
    run: memoryOfNetwork,
  },
  {
    name: 'network: CPU of a command that two participants see, 32 connections, SQLite',
    baseline: 'one that only its own participant sees',
    aim: { most: 1.25 },
    run: cpuSeenByTwo,
  },
  {
    name: 'localnet: founding from nothing, in memory',
    baseline: 'start from the snapshot that founding leaves',
    run: founding,
  },
  {
    name: 'localnet: start to ready, from the snapshot, in memory',
    baseline: 'three participants alone, with gRPC and the Admin API as there',
    aim: { most: 2 },
    run: startOfLocalnet,
  },
  {
    name: 'localnet: resident memory, idle after founding',
    baseline: 'the aim',
    aim: { most: 1 },
    run: () => memoryOfLocalnet('founded'),
  },
  {
    name: 'localnet: resident memory, idle after a start from the snapshot',
    baseline: 'the aim',
    aim: { most: 1 },
    run: () => memoryOfLocalnet('restored'),
  },
  {
    name: 'localnet: transfers through the registry, 32 clients',
    baseline: 'the same transfers, with a context that was read before',
    run: transfersThroughRegistry,
  },
  {
    name: 'ledger: resident memory, idle with the quickstart package',
    baseline: 'the aim',
    aim: { most: 1 },
    run: () => memory('quickstart'),
  },
  {
    name: 'large ledger: transaction-by-offset at 1,000,000 updates',
    baseline: 'the same at 1,000 updates',
    aim: { most: 1.2 },
    run: () => readingLarge('transaction-by-offset'),
  },
  {
    name: 'large ledger: a page of 200 at 1,000,000 updates',
    baseline: 'the same at 1,000 updates',
    aim: { most: 1.2 },
    run: () => readingLarge('page'),
  },
  {
    name: 'large ledger: a page of active contracts at an offset before 300,000 archives',
    baseline: 'the same at the end of the ledger',
    aim: { most: 2 },
    run: pastActiveContracts,
  },
  {
    name: 'large ledger: start to ready at 1,000,000 updates',
    baseline: 'an empty ledger',
    aim: { most: 2 },
    run: startLarge,
  },
  {
    name: 'large ledger: resident memory with 1,000,000 active contracts',
    baseline: 'the aim',
    aim: { most: 1 },
    run: () => memory('large'),
  },
  {
    name: 'explorer: JavaScript heap of its largest page beside 1,000 commands per second',
    baseline: 'the aim',
    aim: { most: 1 },
    run: heapOfPages,
  },
  {
    name: 'explorer: async commands beside an open page in a browser on the same machine, 32 connections, SQLite',
    baseline: 'no page open',
    aim: { least: 0.9 },
    run: submittingBesidePage,
  },
  {
    name: "explorer: the node's processor time for the first page of contracts, newest first with a total, 200,000 of them",
    baseline: 'the same of 10 contracts',
    aim: { most: 1.3 },
    run: () => findingAtSize('first page'),
  },
  {
    name: "explorer: the node's processor time for a search by the beginning of an id, 200,000 contracts",
    baseline: 'the same among 10 contracts',
    aim: { most: 1.3 },
    run: () => findingAtSize('search'),
  },
  {
    name: "explorer: the node's processor time for a page sorted by a field, 200,000 contracts",
    baseline: 'reading all contracts through the API',
    aim: { most: 1.5 },
    run: sortingAtSize,
  },
  {
    name: "explorer: the node's processor time for a list of updates with 500 creates each",
    baseline: 'the same of updates with one create',
    aim: { most: 10 },
    run: listOfLargeUpdates,
  },
  {
    name: 'explorer: start to ready with it',
    baseline: 'the same node without it',
    aim: { most: 1.05 },
    run: startToReadyWithExplorer,
  },
  {
    name: 'explorer: idle memory with it',
    baseline: 'the same node without it',
    aim: { most: 1.05 },
    run: idleMemoryWithExplorer,
  },
  {
    name: 'query store: catching up with 100,000 updates',
    baseline: 'a bare COPY of the same rows, with the same indexes',
    aim: { least: 0.3 },
    run: catchingUp,
  },
  {
    name: 'fork of 100,000 contracts, from the start of the process until it answers',
    baseline: 'a client that reads the same contracts',
    aim: { least: 0.2 },
    run: forking,
  },
  {
    name: 'query store: how far behind at 1,000 updates per second',
    baseline: 'the aim',
    aim: { most: 1 },
    run: lag,
  },
  {
    name: 'query store: commands of a node that keeps one in its own database',
    baseline: 'the same node without it',
    run: besideCommits,
  },
  {
    name: 'query store: an indexed field of 1,000,000 contracts',
    baseline: 'the same condition on a plain table',
    run: askingWithIndex,
  },
  {
    name: 'snapshots: take one of 1,000 contracts',
    baseline: 'the aim',
    aim: { most: 1 },
    run: () => snapshots('take', 'small'),
  },
  {
    name: 'snapshots: restore one of 1,000 contracts',
    baseline: 'the aim',
    aim: { most: 1 },
    run: () => snapshots('restore', 'small'),
  },
  {
    name: 'snapshots: take one of 1,000,000 contracts',
    baseline: 'the aim',
    aim: { most: 1 },
    run: () => snapshots('take', 'large'),
  },
  {
    name: 'snapshots: restore one of 1,000,000 contracts',
    baseline: 'the aim',
    aim: { most: 1 },
    run: () => snapshots('restore', 'large'),
  },
  {
    name: 'snapshots: reset a ledger of 1,000,000 contracts',
    baseline: 'the aim',
    aim: { most: 1 },
    run: () => snapshots('reset', 'large'),
  },
  {
    name: 'test kit: the first node of a process',
    baseline: 'the aim',
    aim: { most: 1 },
    run: firstNode,
  },
  {
    name: 'test kit: resident memory of 100 nodes in one process',
    baseline: 'the aim',
    aim: { most: 1 },
    run: hundredNodes,
  },
  {
    name: 'test kit: a further node in the process',
    baseline: 'the aim',
    aim: { most: 1 },
    run: furtherNode,
  },
  {
    name: 'test kit: restore 1,000 contracts in memory',
    baseline: 'the aim',
    aim: { most: 1 },
    run: restoreInProcess,
  },
  {
    name: 'scripts: a hundred of ten submissions each, tallystick test',
    baseline: 'one by one on one node, tallystick script',
    run: hundredScripts,
  },
  {
    name: 'scripts: start to the first result, tallystick test',
    baseline: 'start to ready of a node',
    aim: { most: 2 },
    run: firstResult,
  },
]
