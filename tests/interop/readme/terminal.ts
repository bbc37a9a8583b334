import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Environment, systemClock } from '@weir/core';
import { within } from '../brokers/waiting.ts';

/** Generous, because the machine may be busy with other tests, and the first command installs. */
const patienceMs = 240_000;
const stopMs = 30_000;

interface TerminalOptions {
  readonly cwd: string;
  readonly environment: Environment;
  /** Folder for exported variables. */
  readonly folder: string;
}

/** A program that runs in the background. */
export interface Background {
  /** Returns the output so far. */
  text(): string;
}

/** A terminal in which commands run in sequence and exported variables persist; with further terminals for servers. */
export class Terminal {
  readonly #options: TerminalOptions;
  readonly #exports: string;
  readonly #running: { readonly child: ChildProcess; readonly ended: Promise<unknown> }[] = [];

  constructor(options: TerminalOptions) {
    this.#options = options;
    this.#exports = join(options.folder, 'exports');
  }

  /** Runs commands and returns their output. Stops at the first command that fails, and throws. */
  async run(commands: string): Promise<string> {
    const { ended, text, child } = this.#start(`${commands}\nexport -p > '${this.#exports}'\n`);
    if ((await within(patienceMs, ended)) === undefined) {
      end(child, 'SIGKILL');
      throw new Error(`it does not end:\n${commands}\n${text()}`);
    }
    const status = await ended;
    if (status !== 0) throw new Error(`it ended with ${status}:\n${commands}\n${text()}`);
    return text();
  }

  /** Starts commands in the background and waits until they have printed a text. */
  async runInBackground(commands: string, readyAt: string): Promise<Background> {
    const { ended, text, child } = this.#start(commands);
    this.#running.push({ child, ended });
    let status: unknown = 'no end';
    void ended.then((found) => {
      status = found;
    });
    await untilTrue(`${commands} to print "${readyAt}"`, async () => {
      if (status !== 'no end') throw new Error(`it ended with ${status}:\n${commands}\n${text()}`);
      return text().includes(readyAt);
    }).catch((error: Error) => {
      throw new Error(`${error.message}\n${text()}`);
    });
    return { text };
  }

  /** Stops background commands, last started first. */
  async close(): Promise<void> {
    for (const { child, ended } of this.#running.splice(0).reverse()) {
      end(child, 'SIGTERM');
      if ((await within(stopMs, ended)) === undefined) end(child, 'SIGKILL');
      await ended;
    }
  }

  #start(commands: string) {
    const { cwd, environment } = this.#options;
    const known = existsSync(this.#exports) ? `. '${this.#exports}'\n` : '';
    // A separate process group, so that processes started by a shell end with it.
    const child = spawn('/bin/sh', ['-e', '-c', `${known}cd '${cwd}'\n${commands}`], {
      cwd,
      env: environment,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let printed = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        printed += chunk;
      });
    }
    const ended = new Promise<number | string>((resolve) => {
      child.once('error', ({ message }) => resolve(message));
      child.once('close', (code, signal) => resolve(signal ?? code ?? 0));
    });
    return { child, ended, text: () => printed };
  }

  /** Sets a variable for all later commands. */
  export(name: string, value: string): void {
    writeFileSync(this.#exports, `export ${name}='${value}'\n`, { flag: 'a' });
  }
}

function end(child: ChildProcess, signal: NodeJS.Signals): void {
  try {
    process.kill(-child.pid!, signal);
  } catch (error) {
    // ESRCH: the group has ended by itself.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Polls until the condition holds; throws on timeout. */
async function untilTrue(what: string, isTrue: () => Promise<boolean>): Promise<void> {
  const giveUpMs = systemClock.monotonicMs() + patienceMs;
  while (!(await isTrue())) {
    if (systemClock.monotonicMs() > giveUpMs) throw new Error(`waited in vain for ${what}`);
    await new Promise<void>((resolve) => systemClock.after(100, resolve));
  }
}
