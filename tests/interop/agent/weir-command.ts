import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { type Environment, systemClock, systemEnvironment } from '@weir/core';
import { servingVariables } from '../serving-variables.ts';

const bin = join(import.meta.dirname, '../../../bin/weir');
/** Generous, because the machine may be busy with all other tests. */
const patienceMs = 60_000;

/** A `weir` command with its own environment that may become ready, wait, or end at once. */
export class WeirCommand {
  readonly #child;
  readonly ended: Promise<number | string>;
  /** Output so far. The caller appends what it reads from the command in other ways, such as metrics. */
  text = '';

  constructor(
    t: { after(cleanUp: () => Promise<void>): void },
    args: readonly string[],
    variables: Environment,
  ) {
    const { PATH } = systemEnvironment;
    this.#child = spawn(bin, args, {
      env: { PATH, ...servingVariables(args), ...variables },
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

  async waitForOutput(pattern: RegExp): Promise<RegExpExecArray> {
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
