import { type ChildProcess, fork } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Clock, type Failure, MiB } from '@weir/core';
import { tableLimits } from '../limits.ts';
import type { Column, ParquetFile, ParquetWriter, RowValue, WrittenParquet } from './parquet-writer.ts';
import {
  InvalidRow,
  ParquetMemoryExceeded,
  ParquetWriteFailed,
  ParquetWriterCrashed,
} from './writer-errors.ts';
import type { ProcessOptions, WriterAnswer, WriterErrorKind, WriterRequest } from './writer-messages.ts';

const entry = fileURLToPath(import.meta.resolve('./writer-process.ts'));

export interface DuckDbWriterOptions extends ProcessOptions {
  readonly clock: Clock;
  /** How long the process may owe an answer. */
  readonly silentMsMax?: number | undefined;
}

/**
 * Writes Parquet files with DuckDB in a process of its own, which is started with the first file, and again after it
 * ended: native code that fails ends no agent. The directory is the writer's own; what is in it at first is deleted.
 */
export class DuckDbWriter implements ParquetWriter {
  readonly #options: DuckDbWriterOptions;
  #process: Promise<WriterProcess> | undefined;
  #nextFile = 1;
  #openFiles = 0;
  #isEmptied = false;
  #isClosed = false;

  constructor(options: DuckDbWriterOptions) {
    this.#options = { ...options, directory: resolve(options.directory) };
  }

  async open(columns: readonly Column[]): Promise<ParquetFile> {
    if (this.#openFiles >= tableLimits.parquetOpenFilesMax)
      throw new ParquetWriteFailed(
        `${this.#openFiles} Parquet files are open, the most of a writer; finish some first`,
      );
    this.#openFiles++;
    try {
      const id = this.#nextFile++;
      const process = await this.#running();
      await process.ask({ kind: 'open', file: id, columns });
      const path = join(this.#options.directory, `${id}.parquet`);
      return new OpenFile(id, path, columns.length, process, () => this.#openFiles--);
    } catch (error) {
      this.#openFiles--;
      throw error;
    }
  }

  /** Ends the process; open files are gone. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const process = await this.#process?.catch(() => undefined);
    await process?.end();
  }

  /** The id of the process, for tests. */
  async pid(): Promise<number | undefined> {
    return (await this.#process)?.pid;
  }

  #running(): Promise<WriterProcess> {
    if (this.#isClosed) throw new ParquetWriterCrashed('the Parquet writer was closed');
    if (this.#process !== undefined) return this.#process;
    const started = this.#start();
    const forget = () => {
      if (this.#process === started) this.#process = undefined;
    };
    started.then((process) => void process.ended.then(forget), forget);
    this.#process = started;
    return started;
  }

  async #start(): Promise<WriterProcess> {
    const { directory, memoryBytesMax, spillBytesMax } = this.#options;
    await rm(this.#isEmptied ? join(directory, 'spill') : directory, { recursive: true, force: true });
    this.#isEmptied = true;
    await mkdir(directory, { recursive: true });
    const process = new WriterProcess(this.#options);
    try {
      await process.ask({ kind: 'start', options: { directory, memoryBytesMax, spillBytesMax } });
    } catch (error) {
      await process.end();
      throw error;
    }
    return process;
  }
}

class OpenFile implements ParquetFile {
  readonly #id: number;
  readonly #path: string;
  readonly #columnCount: number;
  readonly #process: WriterProcess;
  readonly #onClosed: () => void;
  #state: 'open' | 'failed' | 'closed' = 'open';

  constructor(id: number, path: string, columnCount: number, process: WriterProcess, onClosed: () => void) {
    this.#id = id;
    this.#path = path;
    this.#columnCount = columnCount;
    this.#process = process;
    this.#onClosed = onClosed;
  }

  async append(batch: readonly (readonly RowValue[])[]): Promise<void> {
    const rowCount = batch[0]?.length ?? 0;
    if (batch.length !== this.#columnCount)
      throw new InvalidRow(`a batch has ${batch.length} columns, its file ${this.#columnCount}`);
    const { parquetBatchRowsMax } = tableLimits;
    if (rowCount > parquetBatchRowsMax)
      throw new InvalidRow(`a batch has ${rowCount} rows; at most ${parquetBatchRowsMax} are allowed`);
    await this.#ask({ kind: 'append', file: this.#id, batch });
  }

  async finish(): Promise<WrittenParquet> {
    const { written } = await this.#ask({ kind: 'finish', file: this.#id, path: this.#path });
    this.#close();
    return written!;
  }

  async abandon(): Promise<void> {
    if (this.#state === 'closed') return;
    this.#close();
    try {
      await this.#process.ask({ kind: 'abandon', file: this.#id });
    } catch (error) {
      if (!(error instanceof ParquetWriterCrashed)) throw error;
    } finally {
      await rm(this.#path, { force: true });
    }
  }

  #close(): void {
    this.#state = 'closed';
    this.#onClosed();
  }

  async #ask(request: WriterRequest): Promise<DoneAnswer> {
    if (this.#state !== 'open')
      throw new ParquetWriteFailed('the Parquet file was finished, abandoned or failed before');
    try {
      return await this.#process.ask(request);
    } catch (error) {
      this.#state = 'failed';
      throw error;
    }
  }
}

type DoneAnswer = Extract<WriterAnswer, { kind: 'done' }>;

interface Waiting {
  resolve(answer: DoneAnswer): void;
  reject(error: Failure): void;
}

const errors: Readonly<Record<WriterErrorKind, new (message: string) => Failure>> = {
  InvalidRow,
  ParquetMemoryExceeded,
  ParquetWriteFailed,
};

const outputCharsMax = 4096;

class WriterProcess {
  readonly #child: ChildProcess;
  readonly #clock: Clock;
  readonly #silentMsMax: number;
  /** Requests without an answer, the oldest first. */
  readonly #waiting: Waiting[] = [];
  /** What the process printed last, which says why it ended. */
  #lastOutput = '';
  #whyEnded: string | undefined;
  #hasEnded = false;
  #cancelWatch = () => {};
  readonly ended: Promise<void>;

  constructor({ clock, silentMsMax = tableLimits.parquetSilentMsMax }: DuckDbWriterOptions) {
    this.#clock = clock;
    this.#silentMsMax = silentMsMax;
    this.#child = fork(entry, [], {
      execArgv: [`--max-old-space-size=${tableLimits.parquetHeapBytesMax / MiB}`],
      env: {},
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#child.stderr!.on('data', (bytes: Buffer) => {
      this.#lastOutput = (this.#lastOutput + bytes.toString()).slice(-outputCharsMax);
    });
    this.#child.on('message', (answer: WriterAnswer) => this.#take(answer));
    process.once('exit', this.#kill);
    this.ended = new Promise((resolve) => {
      const end = (reason: string) => {
        this.#whyEnded ??= reason;
        this.#hasEnded = true;
        process.off('exit', this.#kill);
        this.#cancelWatch();
        for (const { reject } of this.#waiting.splice(0)) reject(this.#crash());
        resolve();
      };
      this.#child.on('error', ({ message }) => end(`it failed to start: ${message}`));
      this.#child.on('close', (code, signal) => end(this.#exitReason(code, signal)));
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  ask(request: WriterRequest): Promise<DoneAnswer> {
    if (this.#hasEnded || !this.#child.connected) return Promise.reject(this.#crash());
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      if (this.#waiting.length === 1) this.#watch();
      // If it cannot be sent the process has ended, which rejects all that wait.
      this.#child.send(request, () => {});
    });
  }

  async end(): Promise<void> {
    this.#whyEnded ??= 'it was closed';
    this.#kill();
    await this.ended;
  }

  readonly #kill = () => {
    this.#child.kill('SIGKILL');
  };

  #take(answer: WriterAnswer): void {
    const asked = this.#waiting.shift();
    this.#cancelWatch();
    if (this.#waiting.length > 0) this.#watch();
    if (answer.kind === 'done') asked?.resolve(answer);
    else asked?.reject(new errors[answer.error](answer.message));
  }

  #watch(): void {
    this.#cancelWatch = this.#clock.after(this.#silentMsMax, () => {
      this.#whyEnded ??= `it gave no answer for ${this.#silentMsMax} ms`;
      this.#kill();
    });
  }

  #crash(): ParquetWriterCrashed {
    return new ParquetWriterCrashed(
      `the process that writes Parquet files ended (${this.#whyEnded ?? 'it is ending'}); write the file again`,
    );
  }

  #exitReason(code: number | null, signal: string | null): string {
    const printed = this.#lastOutput
      .match(/^.*(?:Error|FATAL|terminate).*$/im)?.[0]
      .trim()
      .slice(0, 300);
    return [signal ?? `exit code ${code}`, printed].filter((part) => part !== undefined).join(': ');
  }
}
