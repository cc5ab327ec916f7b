// The statements of a transaction on one connection. Nobody needs the answer to a write before the transaction is
// committed, so writes are sent without waiting, those of one turn of the event loop with one system call, and the first
// that failed is reported by whatever comes next; PostgreSQL runs nothing after it. COMMIT is not sent before all are
// answered: if the database is gone by then, it is known that nothing was written.
import type { Socket } from 'node:net'
import type pg from 'pg'

export type Pipeline = {
  query<R extends pg.QueryResultRow>(
    sql: string | pg.QueryConfig,
    params?: readonly unknown[],
  ): Promise<pg.QueryResult<R>>
  /** Settles before the statement has run, unless much is on its way already. */
  write(sql: string, params: readonly unknown[]): Promise<void>
  /** Settles when all writes are answered; throws the failure of the first. */
  settle(): Promise<void>
}

/** `pipeline` makes the driver send a statement before the last one is answered; `connection` is not in its types. */
export type PipelinedClient = pg.ClientBase & { pipeline: boolean; readonly connection: { readonly stream: Socket } }

/** Bytes on their way for which nobody waits. */
const unansweredBytesMax = 4 * 1024 * 1024

export function pipelineOver(client: PipelinedClient): Pipeline {
  let failure: { readonly error: unknown } | undefined
  let unansweredBytes = 0
  /** Answers come in the order of the statements. */
  let lastAnswer: Promise<void> | undefined
  let isCorked = false

  function send<R extends pg.QueryResultRow>(sql: string | pg.QueryConfig, params?: readonly unknown[]) {
    cork()
    return client.query<R>(sql as string, params as unknown[])
  }

  /** Until the end of the turn. */
  function cork(): void {
    if (isCorked) return
    isCorked = true
    const { stream } = client.connection
    stream.cork()
    process.nextTick(() => {
      isCorked = false
      stream.uncork()
    })
  }

  function check(): void {
    if (failure !== undefined) throw failure.error
  }

  async function settle(): Promise<void> {
    await lastAnswer
    check()
  }

  return {
    settle,
    async query(sql, params) {
      try {
        return await send(sql, params)
      } catch (error) {
        check()
        throw error
      }
    },
    async write(sql, params) {
      check()
      const bytes = sql.length + params.reduce<number>((sum, param) => sum + sizeOf(param), 0)
      unansweredBytes += bytes
      lastAnswer = send(sql, params).then(
        () => {
          unansweredBytes -= bytes
        },
        (error) => {
          failure ??= { error }
        },
      )
      if (unansweredBytes > unansweredBytesMax) await settle()
    },
  }
}

function sizeOf(param: unknown): number {
  return typeof param === 'string' || param instanceof Uint8Array ? param.length : 8
}
