import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { type Environment, systemClock, systemEnvironment } from '@weir/core';

const bin = join(import.meta.dirname, '../../../bin/weir');
/** Generous, because the machine may be busy with all the other tests. */
const patienceMs = 60_000;

/** A `weir` command with an environment of its own, whether it becomes ready, waits for something, or ends at once. */
export class WeirCommand {
  readonly #child;
  readonly ended: Promise<number | string>;
  /** What it printed so far, and wherever else it spoke, which whoever asked it adds. */
  text = '';

  constructor(
    t: { after(cleanUp: () => Promise<void>): void },
    args: readonly string[],
    variables: Environment,
  ) {
    const { PATH, HOME } = systemEnvironment;
    this.#child = spawn(bin, args, {
      env: { PATH, HOME, ...variables },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.text += text;
      });
    }
    this.ended = new Promise((resolve) => {
      this.#child.once('close', (code, signal) => resolve(code ?? signal ?? 'nothing'));
    });
    t.after(() => this.kill());
  }

  async says(pattern: RegExp): Promise<RegExpExecArray> {
    const startMs = systemClock.monotonicMs();
    for (;;) {
      const found = pattern.exec(this.text);
      if (found !== null) return found;
      if (systemClock.monotonicMs() - startMs > patienceMs || this.#child.exitCode !== null) {
        throw new Error(`it did not say ${pattern}; it said:\n${this.text.slice(-5_000)}`);
      }
      await new Promise<void>((resolve) => systemClock.after(20, resolve));
    }
  }

  async stop(): Promise<void> {
    this.#child.kill('SIGTERM');
    await this.ended;
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.ended;
  }
}
