// tallystick query-store: catching up with a ledger against a bare COPY of the same rows, how far it is behind under load,
// what it costs in the node's own database, and a question with an index at a million contracts against plain PostgreSQL.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import pg from 'pg'
import { applySchema } from '../src/query-store/schema/apply-schema.ts'
import { startPostgres } from '../test/fixtures/postgres.ts'
import { type BenchLedger, startLedger } from './ledger.ts'
import { cpuMsOf, endedChildrenCpuMs, median, tallystick, temporaryFolder } from './processes.ts'
import { startFilled } from './reading.ts'

const updates = 100_000
const rounds = 3

type Database = AsyncDisposable & { readonly url: string; readonly pid: number; readonly client: pg.Client }

async function openDatabase(): Promise<Database> {
  const { url, pid, stop } = await startPostgres()
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return {
    ...{ url, pid, client },
    async [Symbol.asyncDispose]() {
      await client.end()
      await stop()
    },
  }
}

const follower = (from: string, token: string, to: string, ...more: readonly string[]) =>
  tallystick(
    'query-store',
    '--from',
    from,
    '--to',
    to,
    '--token',
    token,
    '--health-port',
    '0',
    '--log-level',
    'warn',
    ...more,
  )

/**
 * From the start of the process to its end. Processor time, which other work on the machine disturbs less, is that of the
 * follower, of the ledger's node and of the server's process for it, and of the server's process for the COPY.
 */
export async function catchingUp() {
  using folder = temporaryFolder()
  await using ledger = await startFilled(folder.path, updates)
  await using database = await openDatabase()
  const { client, url } = database
  const rates: number[] = []
  const copied: number[] = []
  const cpuMs = { follower: 0, node: 0, database: 0, copy: 0 }
  const { rows: own } = await client.query('SELECT pg_backend_pid() AS pid')
  const soFar = () => ({
    follower: endedChildrenCpuMs(process.pid),
    node: cpuMsOf(ledger.server.pid),
    database: endedChildrenCpuMs(database.pid),
    copy: cpuMsOf(own[0].pid),
  })
  for (let round = 0; round < rounds; round += 1) {
    const schema = `round_${round}`
    const before = soFar()
    const startedMs = performance.now()
    const whole = ['--start', 'Genesis', '--stop', 'Latest', '--schema', schema]
    await promisify(execFile)(process.execPath, follower(ledger.server.url, ledger.token, url, ...whole))
    rates.push((updates / (performance.now() - startedMs)) * 1000)
    await client.query(`SET search_path TO ${schema}`)
    const { follower: followed, node, database: served } = soFar()
    await prepareCopies(client)
    const copyBefore = soFar().copy
    copied.push((updates / (await bareCopyMs(client))) * 1000)
    cpuMs.follower += followed - before.follower
    cpuMs.node += node - before.node
    cpuMs.database += served - before.database
    cpuMs.copy += soFar().copy - copyBefore
    const { rows } = await client.query('SELECT count(*) FROM __transactions')
    if (Number(rows[0].count) < updates) throw new Error(`the store has ${rows[0].count} of ${updates} updates`)
  }
  const [ours, theirs] = [median(rates), median(copied)]
  const perUpdate = Object.entries(cpuMs).map(
    ([name, ms]) => `${name} ${Math.round((ms * 1000) / (updates * rounds))} µs`,
  )
  const note = `processor time for an update: ${perUpdate.join(', ')}`
  return { ours: Math.round(ours), theirs: Math.round(theirs), unit: 'updates/s', ratio: ours / theirs, note }
}

/** Files with the rows, and tables with the same indexes. */
async function prepareCopies(client: pg.Client): Promise<void> {
  const { folder, names } = await copiedTables(client)
  for (const [index, name] of names.entries()) {
    await client.query(`COPY ${name} TO '${folder}/copy-${index}'`)
    await client.query(`CREATE TABLE copy_${index} (LIKE ${name} INCLUDING ALL)`)
  }
}

async function copiedTables(client: pg.Client): Promise<{ folder: string; names: string[] }> {
  const { rows } = await client.query("SELECT current_setting('data_directory') AS folder")
  const tables = await client.query(
    "SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = '__contracts'::regclass",
  )
  return { folder: rows[0].folder, names: ['__transactions', ...tables.rows.map(({ name }) => name)] }
}

async function bareCopyMs(client: pg.Client): Promise<number> {
  const { folder, names } = await copiedTables(client)
  const startedMs = performance.now()
  for (const index of names.keys()) await client.query(`COPY copy_${index} FROM '${folder}/copy-${index}'`)
  return performance.now() - startedMs
}

const contracts = 1_000_000

/** The same condition through `active` and on a table of its own. */
export async function askingWithIndex() {
  await using database = await openDatabase()
  const { client } = database
  await applySchema(client, 'public')
  await client.query(`
    INSERT INTO __packages (name, version, id, is_read) VALUES ('p', '1.0.0', 'id', true);
    INSERT INTO __contract_tpe (payload_type, package_name, module_name, entity_name, template_fqn, aliases)
      VALUES ('template', 'p', 'M', 'T', 'p:M:T', '{p:M:T,M:T,T}');
    CALL __ensure_partition(1);
    INSERT INTO __transactions (ix, "offset", effective_at) SELECT n, n, now() FROM generate_series(1, 1000) n;
    INSERT INTO __contracts (tpe_pk, create_event_pk, create_event_offset, create_node_id, created_at_ix, created_at_offset,
        contract_id, payload, package_pk, signatories, observers, witnesses, divulged_only)
      SELECT 1, n, n, 0, 1 + n % 1000, 1 + n % 1000, md5(n::text), jsonb_build_object('x', (n % 100000)::text, 'y', n::text),
        1, '{a}', '{}', '{a}', false FROM generate_series(1, ${contracts}) n;
    UPDATE __watermark SET ix = 1000, "offset" = 1000;
    CREATE TABLE plain (contract_id text PRIMARY KEY, payload jsonb);
    INSERT INTO plain SELECT contract_id, payload FROM __contracts;
    CREATE INDEX plain_x ON plain ((payload->>'x'));
    CALL create_index_for_contract('x', 'T', '(payload->>''x'')', 'btree');
  `)
  await client.query('VACUUM ANALYZE')
  /** With a name, the statement is planned once for the session. */
  const asked = async (place: string, name?: string) => {
    const times: number[] = []
    for (let round = 0; round < 300; round += 1) {
      const startedMs = performance.now()
      const text = `SELECT contract_id, payload FROM ${place} WHERE payload->>'x' = $1`
      const { rows } = await client.query({ text, values: [String(round)], ...(name !== undefined && { name }) })
      if (rows.length !== contracts / 100_000) throw new Error(`${rows.length} rows`)
      times.push(performance.now() - startedMs)
    }
    return median(times)
  }
  await asked('plain')
  const [ours, theirs] = [await asked("active('M:T')"), await asked('plain')]
  const prepared = [await asked("active('M:T')", 'ours'), await asked('plain', 'theirs')]
  const note = `as prepared statements ${prepared.map((ms) => `${Math.round(ms * 1000)} µs`).join(' and ')}`
  return { ours: Math.round(ours * 1000), theirs: Math.round(theirs * 1000), unit: 'µs', ratio: ours / theirs, note }
}

const perSecond = 1_000
const seconds = 5

/** How long after its command was answered an update is visible, at a steady rate. */
export async function lag() {
  using folder = temporaryFolder()
  await using ledger = await startLedger(folder.path)
  await using database = await openDatabase()
  const running = execFile(process.execPath, follower(ledger.server.url, ledger.token, database.url))
  try {
    await new Promise<void>((resolve) => running.stdout!.on('data', (text) => /ready at/.test(text) && resolve()))
    const answered = new Map<number, number>()
    const submit = async () => {
      const { completionOffset } = (await ledger.call(
        'POST',
        '/v2/commands/submit-and-wait',
        create(ledger.parties),
      )) as {
        completionOffset: number
      }
      answered.set(completionOffset, performance.now())
    }
    const startedMs = performance.now()
    const pending: Promise<void>[] = []
    const seen: [offset: number, atMs: number][] = []
    const look = async () => {
      const { rows } = await database.client.query('SELECT latest_offset() AS latest')
      seen.push([Number(rows[0].latest), performance.now()])
    }
    while (performance.now() - startedMs < seconds * 1000) {
      const due = ((performance.now() - startedMs) / 1000) * perSecond
      while (pending.length < due) pending.push(submit())
      await look()
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
    await Promise.all(pending)
    const last = Math.max(...answered.keys())
    while (seen.at(-1)![0] < last) await look()
    const delays = [...answered].map(([offset, atMs]) =>
      Math.max(0, seen.find(([reached]) => reached >= offset)![1] - atMs),
    )
    delays.sort((a, b) => a - b)
    const ours = median(delays)
    const note = `99 % within ${Math.round(delays[Math.floor(delays.length * 0.99)]!)} ms; ${Math.round(delays.length / seconds)} updates/s`
    return { ours: Math.round(ours), theirs: 250, unit: 'ms', ratio: ours / 250, note }
  } finally {
    running.kill()
  }
}

const commandsPerRound = 2_000
const atOnce = 32

/** Commands per second of a node over PostgreSQL that keeps a query store, and of one that does not, in turns. */
export async function besideCommits() {
  using folder = temporaryFolder()
  await using database = await openDatabase()
  await database.client.query('CREATE DATABASE with_store')
  await database.client.query('CREATE DATABASE without_store')
  const start = (name: string, variables: Record<string, string>) =>
    startLedger(folder.path, 'postgres', { postgresUrl: new URL(`/${name}`, database.url).href, variables })
  await using keeping = await start('with_store', { TALLYSTICK_STORE_QUERIES: 'true' })
  await using plain = await start('without_store', {})
  const ratesOf = { keeping: [] as number[], plain: [] as number[] }
  for (let round = 0; round < 5; round += 1) {
    ratesOf.keeping.push(await commandRate(keeping))
    ratesOf.plain.push(await commandRate(plain))
  }
  const [ours, theirs] = [median(ratesOf.keeping.slice(1)), median(ratesOf.plain.slice(1))]
  return { ours: Math.round(ours), theirs: Math.round(theirs), unit: 'commands/s', ratio: ours / theirs }
}

async function commandRate(ledger: BenchLedger): Promise<number> {
  const startedMs = performance.now()
  let left = commandsPerRound
  const client = async () => {
    while (left > 0) {
      left -= 1
      await ledger.call('POST', '/v2/commands/submit-and-wait', create(ledger.parties))
    }
  }
  await Promise.all(Array.from({ length: atOnce }, client))
  return (commandsPerRound / (performance.now() - startedMs)) * 1000
}

let commands = 0

function create([issuer, owner]: readonly [string, string]) {
  commands += 1
  const createArguments = { issuer, owner, amount: '100', currency: 'EUR', observers: [] }
  return {
    commands: [{ CreateCommand: { templateId: '#quickstart:Iou:Iou', createArguments } }],
    ...{ commandId: `lag-${commands}`, actAs: [issuer, owner] },
  }
}
