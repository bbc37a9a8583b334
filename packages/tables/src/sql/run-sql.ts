import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type Clock, coreLimits, formatBytes, KiB, MiB } from '@weir/core';
import { tableLimits } from '../limits.ts';
import { SqlFailed, SqlLimitExceeded, SqlRefused } from './sql-errors.ts';
import type {
  ParsedSql,
  SqlAnswer,
  SqlErrorKind,
  SqlLimits,
  SqlRequest,
  SqlResult,
  SqlTable,
} from './sql-messages.ts';

export interface SqlQuery {
  readonly sql: string;
  /** Names of all tables that it may read. */
  readonly tableNames: readonly string[];
  /** Rows of the result, and how long it may take in all. */
  readonly rowsMax: number;
  readonly timeMsMax: number;
}

export interface SqlDeps {
  readonly clock: Clock;
  /** Aborted when the result is no longer wanted. */
  readonly signal: AbortSignal;
  /** Gives the tables that the query reads, with local copies of their files, to `run`. */
  readonly withTables: (
    parsed: ParsedSql,
    run: (tables: readonly SqlTable[]) => Promise<SqlResult>,
  ) => Promise<SqlResult>;
}

/**
 * Runs a SELECT over tables, in a process of its own that ends with it. What the process may take is limited by DuckDB,
 * and by the operating system where it can.
 */
export async function runSql(query: SqlQuery, deps: SqlDeps): Promise<SqlResult> {
  const { sql, tableNames } = query;
  if (Buffer.byteLength(sql) > coreLimits.tableSqlBytesMax)
    throw new SqlRefused(`the query is longer than ${formatBytes(coreLimits.tableSqlBytesMax)}`);
  const { clock, signal } = deps;
  signal.throwIfAborted();
  const wholeMs = Math.min(query.timeMsMax, tableLimits.tableSqlTimeMsMax);
  const endMs = clock.monotonicMs() + wholeMs;
  const limits: Omit<SqlLimits, 'timeMsMax'> = {
    memoryBytesMax: tableLimits.tableSqlMemoryBytesMax,
    threads: tableLimits.tableSqlThreads,
    rowsMax: Math.min(query.rowsMax, coreLimits.tableSqlRowsMax),
    answerBytesMax: tableLimits.tableSqlAnswerBytesMax,
  };
  const process = new SqlProcess(clock, limits.memoryBytesMax, wholeMs);
  const stop = () => process.end('the query is no longer wanted');
  signal.addEventListener('abort', stop, { once: true });
  const leftMs = () => Math.max(1, Math.floor(endMs - clock.monotonicMs()));
  try {
    const answer = await process.ask({ kind: 'parse', sql, tableNames }, leftMs());
    const { parsed } = answer as Extract<SqlAnswer, { kind: 'parsed' }>;
    return await deps.withTables(parsed, async (tables) => {
      const timeMsMax = leftMs();
      const run = await process.ask(
        { kind: 'run', sql, tables, limits: { ...limits, timeMsMax } },
        timeMsMax,
      );
      return (run as Extract<SqlAnswer, { kind: 'result' }>).result;
    });
  } finally {
    signal.removeEventListener('abort', stop);
    process.end('the query ended');
  }
}

const entry = fileURLToPath(import.meta.resolve('./sql-process.ts'));

/** A query is interrupted at its end; its process has so much longer to say so. */
const graceMs = 2_000;

const outputCharsMax = 4096;

const errors: Readonly<Record<Exclude<SqlErrorKind, 'time'>, new (message: string) => Error>> = {
  refused: SqlRefused,
  limit: SqlLimitExceeded,
  failed: SqlFailed,
};

class SqlProcess {
  readonly #child: ChildProcess;
  readonly #clock: Clock;
  readonly #timeMsMax: number;
  #waiting: { resolve(answer: SqlAnswer): void; reject(error: Error): void } | undefined;
  #lastOutput = '';
  #whyEnded: string | undefined;
  #hasEnded = false;

  constructor(clock: Clock, memoryBytesMax: number, timeMsMax: number) {
    this.#clock = clock;
    this.#timeMsMax = timeMsMax;
    this.#child = forkWithin(memoryBytesMax);
    this.#child.stderr!.on('data', (bytes: Buffer) => {
      this.#lastOutput = (this.#lastOutput + bytes.toString()).slice(-outputCharsMax);
    });
    this.#child.on('message', (answer: SqlAnswer) => {
      const asked = this.#waiting;
      this.#waiting = undefined;
      if (answer.kind !== 'failed') asked?.resolve(answer);
      else if (answer.error === 'time') asked?.reject(this.#tookTooLong());
      else asked?.reject(new errors[answer.error](answer.message));
    });
    process.once('exit', this.#kill);
    const ended = (reason: string) => {
      this.#whyEnded ??= reason;
      this.#hasEnded = true;
      process.off('exit', this.#kill);
      this.#waiting?.reject(this.#crash());
      this.#waiting = undefined;
    };
    this.#child.on('error', ({ message }) => ended(`it failed to start: ${message}`));
    this.#child.on('close', (code, signal) => ended(this.#exitReason(code, signal)));
  }

  ask(request: SqlRequest, timeMsMax: number): Promise<SqlAnswer> {
    if (this.#hasEnded) return Promise.reject(this.#crash());
    const cancel = this.#clock.after(timeMsMax + graceMs, () => {
      this.#waiting?.reject(this.#tookTooLong());
      this.#waiting = undefined;
      this.end('it took too long');
    });
    return new Promise<SqlAnswer>((resolve, reject) => {
      this.#waiting = { resolve, reject };
      // If it cannot be sent the process has ended, which rejects.
      this.#child.send(request, () => {});
    }).finally(cancel);
  }

  end(reason: string): void {
    this.#whyEnded ??= reason;
    this.#kill();
  }

  readonly #kill = () => {
    this.#child.kill('SIGKILL');
  };

  #tookTooLong(): SqlLimitExceeded {
    const seconds = this.#timeMsMax / 1000;
    return new SqlLimitExceeded(`the query took longer than ${seconds} s; read fewer rows or columns`);
  }

  #crash(): SqlFailed {
    return new SqlFailed(`the process of the query ended (${this.#whyEnded ?? 'it is ending'})`);
  }

  #exitReason(code: number | null, signal: string | null): string {
    const printed = this.#lastOutput
      .match(/^.*(?:Error|FATAL|terminate).*$/im)?.[0]
      .trim()
      .slice(0, 300);
    return [signal ?? `exit code ${code}`, printed].filter((part) => part !== undefined).join(': ');
  }
}

/**
 * Starts the process under limits of the operating system: memory beyond what DuckDB counts, processor time, no file
 * that grows, no core dump. A shell sets them, because Node cannot.
 */
function forkWithin(memoryBytesMax: number): ChildProcess {
  const heap = `--max-old-space-size=${tableLimits.tableSqlHeapBytesMax / MiB}`;
  const dataKiB = Math.ceil(
    (memoryBytesMax + tableLimits.tableSqlHeapBytesMax + tableLimits.tableSqlProcessBytes) / KiB,
  );
  const cpuSeconds = Math.ceil((tableLimits.tableSqlTimeMsMax * tableLimits.tableSqlThreads) / 1000) + 10;
  const limited = `ulimit -d ${dataKiB}; ulimit -t ${cpuSeconds}; ulimit -f 0; ulimit -c 0; exec "$0" "$@"`;
  const start =
    process.platform === 'win32'
      ? { execArgv: [heap] }
      : { execPath: '/bin/sh', execArgv: ['-c', limited, process.execPath, heap] };
  return fork(entry, [], {
    ...start,
    // Times are printed in UTC.
    env: { TZ: 'UTC' },
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
}
