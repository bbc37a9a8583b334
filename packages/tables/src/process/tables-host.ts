import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ReplayState, TableRemovalTask, TableState, TableTask } from '@weir/cluster';
import { type Clock, Failure, type Log, MiB } from '@weir/core';
import type { StoreOperation } from '@weir/storage';
import { tableLimits } from '../limits.ts';
import type { VerifierOutcome } from '../maintenance/maintenance.ts';
import { missingDuckDb } from './duckdb-package.ts';
import type {
  FromTables,
  TableEventMessage,
  TablesSettings,
  TopicCounts,
  ToTables,
} from './process-messages.ts';

/** Work that ended by a failure. The message is one line. */
export class TableWorkFailed extends Failure {
  override readonly name = 'TableWorkFailed';
  /** Whether it will fail again until someone changes something. */
  readonly needsOperator: boolean;

  constructor(message: string, needsOperator = false) {
    super(message);
    this.needsOperator = needsOperator;
  }
}

export interface TablesHostOptions {
  readonly settings: Omit<TablesSettings, 'directory'>;
  readonly onStates: (tables: readonly TableState[]) => void;
  readonly onReplays: (replays: readonly ReplayState[]) => void;
  readonly onCounts: (counts: readonly TopicCounts[]) => void;
  readonly onVerified: (outcome: VerifierOutcome) => void;
  readonly onRequests: (bucket: string, operation: StoreOperation, count: number) => void;
  readonly clock: Clock;
  readonly log: Log;
  /** Where packages are searched, for tests. */
  readonly searchedFrom?: string | undefined;
  /** Tests have an entry of their own. */
  readonly entry?: string | undefined;
  /** How long the process may say nothing, and its heap. */
  readonly silentMsMax?: number | undefined;
  readonly heapBytesMax?: number | undefined;
}

interface WorkOptions {
  readonly signal: AbortSignal;
  readonly onEvent?: ((event: TableEventMessage) => void) | undefined;
}

type WithoutId<Message> = Message extends unknown ? Omit<Message, 'id'> : never;
type Work = WithoutId<
  Extract<ToTables, { readonly kind: 'ingest' | 'maintain' | 'replay' | 'remove' | 'ask' }>
>;

const entry = fileURLToPath(import.meta.resolve('./tables-process.ts'));

/**
 * The process in which an agent writes tables, which is started with the first job and ends some time after the last.
 * DuckDB and all that reads records is there: native code that fails, or takes too much memory, ends its jobs, and none
 * of the agent.
 */
export class TablesHost {
  readonly #options: TablesHostOptions;
  #process: TablesProcess | undefined;
  #cancelEnd = () => {};
  #isEnded = false;

  constructor(options: TablesHostOptions) {
    this.#options = options;
  }

  /** The id of the process, for tests. */
  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /** Writes a table until the signal is aborted, and then what it has read. */
  ingest(task: TableTask, options: WorkOptions): Promise<string> {
    return this.#run({ kind: 'ingest', task }, options);
  }

  maintain(task: TableTask, options: WorkOptions): Promise<string> {
    return this.#run({ kind: 'maintain', task }, options);
  }

  /** Makes rows of kept records. */
  replay(task: TableTask, options: WorkOptions): Promise<string> {
    return this.#run({ kind: 'replay', task }, options);
  }

  remove(task: TableRemovalTask, options: WorkOptions): Promise<string> {
    return this.#run({ kind: 'remove', task }, options);
  }

  /** The answer to a question about tables, as JSON. */
  ask(
    text: string,
    { signal, limitMs }: { readonly signal: AbortSignal; readonly limitMs: number },
  ): Promise<string> {
    return this.#run({ kind: 'ask', text, limitMs }, { signal });
  }

  async end(): Promise<void> {
    this.#isEnded = true;
    this.#cancelEnd();
    await this.#process?.end();
  }

  async #run(work: Work, options: WorkOptions): Promise<string> {
    options.signal.throwIfAborted();
    if (this.#isEnded) throw new TableWorkFailed('the agent is shutting down');
    const missing = missingDuckDb(this.#options.searchedFrom);
    if (missing !== undefined) throw new TableWorkFailed(missing, true);
    this.#cancelEnd();
    const host = this.#running();
    try {
      return await host.run(work, options);
    } finally {
      if (host.isIdle && !this.#isEnded) this.#endLater();
    }
  }

  #running(): TablesProcess {
    this.#process ??= new TablesProcess(this.#options, () => {
      this.#process = undefined;
    });
    return this.#process;
  }

  /** A table that starts again soon needs no new process. */
  #endLater(): void {
    this.#cancelEnd();
    this.#cancelEnd = this.#options.clock.after(tableLimits.idleProcessMs, () => {
      if (this.#process?.isIdle === true) void this.#process.end();
    });
  }
}

interface Running {
  readonly onEvent: (event: TableEventMessage) => void;
  resolve(message: string): void;
  reject(error: TableWorkFailed): void;
}

const directoryStart = 'weir-tables-';
const outputCharsMax = 4096;

/** Variables that decide how the process starts and whom it trusts. Others come with the settings, or not at all. */
const passedVariables = ['TMPDIR', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR'] as const;

class TablesProcess {
  readonly #options: TablesHostOptions;
  readonly #child: ChildProcess;
  readonly #directory: string;
  readonly #running = new Map<number, Running>();
  readonly #ended = Promise.withResolvers<void>();
  /** What the process printed last, which says why it ended. */
  #lastOutput = '';
  #whyEnded: string | undefined;
  #heardMs: number;
  #cancelWatch = () => {};
  #nextId = 1;

  constructor(options: TablesHostOptions, onEnd: () => void) {
    this.#options = options;
    const { clock, settings } = options;
    removeAbandoned();
    this.#directory = mkdtempSync(join(tmpdir(), `${directoryStart}${process.pid}-`));
    this.#heardMs = clock.monotonicMs();
    this.#child = fork(options.entry ?? entry, ['tables'], {
      execArgv: [`--max-old-space-size=${this.#heapMiB}`],
      env: {
        MALLOC_ARENA_MAX: '2',
        ...Object.fromEntries(
          passedVariables.flatMap((name) => {
            const value = settings.bucket.environment[name];
            return value === undefined ? [] : [[name, value]];
          }),
        ),
      },
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#child.stderr!.on('data', (bytes: Buffer) => {
      this.#lastOutput = (this.#lastOutput + bytes.toString()).slice(-outputCharsMax);
    });
    this.#child.on('message', (message: FromTables) => this.#take(message));
    process.once('exit', this.#kill);
    let hasEnded = false;
    const end = (reason: string) => {
      if (hasEnded) return;
      hasEnded = true;
      process.off('exit', this.#kill);
      this.#cancelWatch();
      rmSync(this.#directory, { recursive: true, force: true });
      onEnd();
      const failed = [...this.#running.values()];
      this.#running.clear();
      if (failed.length > 0)
        options.log.error('lost process of tables', { jobs: failed.length, error: reason });
      for (const { reject } of failed)
        reject(new TableWorkFailed(`the process that writes tables ended (${reason})`));
      this.#ended.resolve();
    };
    this.#child.on('error', ({ message }) => end(`it failed to start: ${message}`));
    this.#child.on('close', (code, signal) => end(this.#whyEnded ?? this.#exitReason(code, signal)));
    this.#send({ kind: 'settings', settings: { ...settings, directory: this.#directory } });
    this.#watch();
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get isIdle(): boolean {
    return this.#running.size === 0;
  }

  async run(work: Work, { signal, onEvent = () => {} }: WorkOptions): Promise<string> {
    const id = this.#nextId++;
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    this.#running.set(id, { onEvent, resolve, reject });
    const stop = () => this.#send({ kind: 'stop', id });
    signal.addEventListener('abort', stop, { once: true });
    this.#send({ ...work, id } as ToTables);
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', stop);
      this.#running.delete(id);
    }
  }

  async end(): Promise<void> {
    this.#whyEnded ??= 'it is not needed any more';
    this.#kill();
    await this.#ended.promise;
  }

  readonly #kill = () => void this.#child.kill('SIGKILL');

  #send(message: ToTables): void {
    // A process that is about to end needs no message: its jobs fail when it has ended.
    if (this.#child.connected) this.#child.send(message, () => {});
  }

  #take(message: FromTables): void {
    const { clock, log, onStates, onReplays, onCounts, onVerified, onRequests } = this.#options;
    this.#heardMs = clock.monotonicMs();
    if (message.kind === 'states') onStates(message.tables);
    else if (message.kind === 'replays') onReplays(message.replays);
    else if (message.kind === 'counts') onCounts(message.counts);
    else if (message.kind === 'verified') onVerified(message.outcome);
    else if (message.kind === 'log') log[message.level](message.message, message.fields);
    else if (message.kind === 'requested')
      for (const [operation, count] of message.operations) onRequests(message.bucket, operation, count);
    else if (message.kind !== 'beat') this.#takeOfJob(message);
  }

  #takeOfJob(message: Extract<FromTables, { readonly id: number }>): void {
    const job = this.#running.get(message.id);
    if (message.kind === 'event') job?.onEvent(message.event);
    else if (message.kind === 'done') job?.resolve(message.message);
    else job?.reject(new TableWorkFailed(message.message, message.needsOperator));
  }

  #watch(): void {
    const { clock, silentMsMax = tableLimits.processSilentMsMax } = this.#options;
    this.#cancelWatch = clock.after(silentMsMax / 4, () => {
      this.#watch();
      if (clock.monotonicMs() - this.#heardMs <= silentMsMax) return;
      this.#whyEnded ??= `it did not yield for ${Math.round(silentMsMax / 1000)} s`;
      this.#kill();
    });
  }

  get #heapMiB(): number {
    return (this.#options.heapBytesMax ?? tableLimits.processHeapBytesMax) / MiB;
  }

  #exitReason(code: number | null, signal: string | null): string {
    if (/heap out of memory|heap limit|Allocation failed/i.test(this.#lastOutput))
      return `it used more than ${this.#heapMiB} MiB of memory`;
    const printed = this.#lastOutput
      .match(/^.*(?:Error|FATAL|terminate).*$/im)?.[0]
      .trim()
      .slice(0, 300);
    return [signal ?? `exit code ${code}`, printed].filter((part) => part !== undefined).join(': ');
  }
}

/** Removes directories of agents that were killed. */
function removeAbandoned(): void {
  for (const name of readdirSync(tmpdir())) {
    if (!name.startsWith(directoryStart)) continue;
    const pid = Number.parseInt(name.slice(directoryStart.length), 10);
    if (Number.isNaN(pid) || isAlive(pid)) continue;
    try {
      rmSync(join(tmpdir(), name), { recursive: true, force: true });
    } catch {
      // It belongs to another user.
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
