// The rows of the benchmark.
import { decoding } from './decoding.ts'
import { askingFirst, besideBurning, throughPool } from './engine.ts'
import { getUser } from './get-user.ts'
import { interpretation } from './interpretation.ts'
import { packageMemory } from './package-memory.ts'
import { startToReady } from './start-to-ready.ts'

export type Row = {
  readonly name: string
  readonly baseline: string
  /** Undefined for figures that are only reported. */
  readonly aim?: { readonly least?: number; readonly most?: number }
  run(): Promise<{ ours: number; theirs: number; unit: string; ratio: number }>
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
]
