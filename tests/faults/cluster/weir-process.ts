import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Clock } from '@weir/core';
import { servingVariables } from '../../interop/serving-variables.ts';
import { atExit } from './at-exit.ts';

/** The command of this clone. */
export const ownProgram = join(import.meta.dirname, '../../../bin/weir');
const linesMax = 30;

interface Started {
  readonly environment: Readonly<Record<string, string>>;
  /** The `weir` command to run. */
  readonly program: string;
  /** The command that runs it, if it does not run as it is. */
  readonly through?: readonly string[] | undefined;
}

/** One process of `bin/weir`, started by this test, which may therefore stop, pause and kill it. */
export class WeirProcess {
  readonly name: string;
  readonly #child: ChildProcess;
  readonly #lines: string[] = [];
  #output = '';
  #isGone = false;
  #isPaused = false;

  constructor(name: string, args: readonly string[], { environment, program, through = [] }: Started) {
    this.name = name;
    // `bin/weir` execs the server, so signals to the child reach the server.
    const env = { ...servingVariables(args), ...environment };
    const [first, ...rest] = [...through, program, ...args];
    this.#child = spawn(first!, rest, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child.stdout!.on('data', (chunk) => {
      this.#output += chunk;
    });
    this.#child.stderr!.on('data', (chunk) => {
      this.#lines.push(...String(chunk).trimEnd().split('\n'));
      this.#lines.splice(0, this.#lines.length - linesMax);
    });
    const cancelAtExit = atExit(() => this.#child.kill('SIGKILL'));
    this.#child.once('exit', () => {
      this.#isGone = true;
      cancelAtExit();
    });
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** The end of its log. */
  get lines(): readonly string[] {
    return this.#lines;
  }

  /** Waits until the output matches. Fails when the process ends or the wait times out. */
  async printed(pattern: RegExp, clock: Clock, withinMs: number): Promise<RegExpExecArray> {
    const endMs = clock.monotonicMs() + withinMs;
    for (;;) {
      const match = pattern.exec(this.#output);
      if (match !== null) return match;
      if (this.#isGone || clock.monotonicMs() > endMs) {
        const what = this.#isGone ? 'ended' : `said nothing within ${withinMs} ms`;
        throw new Error(`${this.name} ${what}:\n${this.#lines.join('\n')}`);
      }
      await new Promise<void>((resolve) => clock.after(20, resolve));
    }
  }

  pause(): void {
    this.#isPaused = true;
    this.#child.kill('SIGSTOP');
  }

  resume(): void {
    this.#isPaused = false;
    if (!this.#isGone) this.#child.kill('SIGCONT');
  }

  kill(): Promise<void> {
    return this.#end('SIGKILL');
  }

  /** Stops it in order, and fails unless it ends by itself without an error. */
  async stop(clock: Clock, withinMs: number): Promise<void> {
    let isLate = false;
    const cancel = clock.after(withinMs, () => {
      isLate = true;
      this.#child.kill('SIGKILL');
    });
    await this.#end('SIGTERM');
    cancel();
    if (isLate || this.#child.exitCode !== 0)
      throw new Error(
        `${this.name} ${isLate ? 'did not stop' : `ended with ${this.#child.exitCode}`}:\n${this.#lines.join('\n')}`,
      );
  }

  #end(signal: NodeJS.Signals): Promise<void> {
    return new Promise((resolve) => {
      if (this.#isGone) {
        resolve();
        return;
      }
      this.#child.once('exit', () => resolve());
      this.#child.kill(signal);
    });
  }
}
