import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { type Clock, systemClock, systemEnvironment } from '@weir/core';
import type { Lifetime } from './lifetime.ts';
import { type ProcessStats, statsOf } from './process-stats.ts';

const readyMsMax = 120_000;
const stopMsMax = 60_000;
const pollMs = 5;
const outputCharsMax = 64 * 1024;

interface ServerToStart {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
  /** Polled until it returns true. */
  readonly isReady: (server: ServerProcess) => boolean | Promise<boolean>;
  /** What it prints is appended to it. */
  readonly logFile?: string | undefined;
}

/** A server in a separate process. */
export class ServerProcess {
  readonly name: string;
  /** Time from the start of the process until it was ready. */
  startMs = 0;
  readonly #child: ChildProcess;
  readonly #ended: Promise<string>;
  #text = '';

  private constructor(name: string, child: ChildProcess, logFile: string | undefined) {
    this.name = name;
    this.#child = child;
    this.#ended = new Promise((resolve) => {
      child.once('error', (error) => resolve(error.message));
      child.once('close', (code, signal) => resolve(String(signal ?? code)));
    });
    for (const stream of [child.stdout!, child.stderr!]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.#text = (this.#text + text).slice(-outputCharsMax);
        if (logFile !== undefined) appendFileSync(logFile, text);
      });
    }
  }

  static async start(
    lifetime: Lifetime,
    { name, program, args, variables, isReady, logFile }: ServerToStart,
    clock: Clock = systemClock,
  ): Promise<ServerProcess> {
    const { PATH, HOME } = systemEnvironment;
    const startMs = clock.monotonicMs();
    // Environment variables of this machine must not configure the measured server.
    const child = spawn(program, args, {
      env: { PATH, HOME, ...variables },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    lifetime.owns(child);
    const server = new ServerProcess(name, child, logFile);
    let end: string | undefined;
    void server.#ended.then((how) => {
      end = how;
    });
    while (!(await isReady(server))) {
      if (end !== undefined) throw server.#failure(`ended with ${end} at the start`);
      if (clock.monotonicMs() - startMs > readyMsMax) throw server.#failure('was not ready in time');
      await new Promise<void>((resolve) => clock.after(pollMs, resolve));
    }
    server.startMs = clock.monotonicMs() - startMs;
    return server;
  }

  /** The end of its output. */
  get text(): string {
    return this.#text;
  }

  get pid(): number {
    return this.#child.pid!;
  }

  get results(): ProcessStats | undefined {
    return statsOf(this.#child.pid!);
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Suspends the process until `resume`; its connections stay open. */
  pause(): void {
    this.#child.kill('SIGSTOP');
  }

  resume(): void {
    this.#child.kill('SIGCONT');
  }

  /** Kills it, and waits until it is gone. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }

  /** Stops it as an operator would, and waits until it has ended. */
  async stop(clock: Clock = systemClock): Promise<void> {
    if (!this.isRunning) return;
    this.#child.kill('SIGTERM');
    const cancel = clock.after(stopMsMax, () => this.#child.kill('SIGKILL'));
    await this.#ended;
    cancel();
  }

  #failure(what: string): Error {
    return new Error(`${this.name} ${what}; it said:\n${this.#text}`);
  }
}
