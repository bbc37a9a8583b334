import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { systemEnvironment } from '@weir/core';
import { pythonOf } from '../../tests/interop/python/venv.ts';
import type { Lifetime } from '../kafka/lifetime.ts';
import type { Progress } from './gaps.ts';

interface Load {
  readonly servers: string;
  readonly topic: string;
  readonly partitions: number;
  /** Records per second of each client. */
  readonly rate: number;
}

/** Clients with default settings that write and read until the lifetime ends. */
export class SteadyClients {
  readonly progress: Progress[] = [];
  #problem: Error | undefined;

  constructor(lifetime: Lifetime, classPath: string, { servers, topic, partitions, rate }: Load) {
    const args = [servers, topic, String(partitions), String(rate)];
    const java = ['-Xmx256M', '-cp', classPath, '-Dorg.slf4j.simpleLogger.defaultLogLevel=off'];
    this.#start(lifetime, 'Java client', 'java', [...java, 'weir.bench.Steady', ...args]);
    const program = join(import.meta.dirname, 'steady.py');
    this.#start(lifetime, 'librdkafka', pythonOf('confluent-kafka'), ['-B', program, ...args]);
  }

  /** Series that made progress in all partitions. */
  get seriesCount(): number {
    return new Set(this.progress.map(({ series }) => series)).size;
  }

  /** Fails if a client has ended. */
  check(): void {
    if (this.#problem !== undefined) throw this.#problem;
  }

  #start(lifetime: Lifetime, name: string, program: string, args: readonly string[]): void {
    const { PATH, HOME } = systemEnvironment;
    const child: ChildProcess = spawn(program, args, {
      env: { PATH, HOME },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    lifetime.owns(child);
    child.once('error', (error) => {
      this.#problem ??= error;
    });
    child.once('close', (code, signal) => {
      this.#problem ??= new Error(`${name} ended with ${signal ?? code}`);
    });
    createInterface({ input: child.stdout! }).on('line', (line) => {
      const [what, partition, atMs] = line.split(' ');
      const series = `${name}, ${what === 'w' ? 'writes' : 'reads'}`;
      this.progress.push({ series, partition: Number(partition), atMs: Number(atMs) });
    });
  }
}
