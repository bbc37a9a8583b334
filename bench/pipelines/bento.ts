import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bentoProgram } from '../../packages/pipelines/testing/bento-program.ts';
import type { Lifetime } from '../kafka/lifetime.ts';
import { statsOf } from '../kafka/process-stats.ts';

/** Runs configurations by Bento, each in a process of its own. */
export class Bento {
  readonly #program = bentoProgram();
  readonly #lifetime: Lifetime;
  readonly #folder: string;

  constructor(lifetime: Lifetime) {
    this.#lifetime = lifetime;
    this.#folder = lifetime.folder();
  }

  start(yaml: string): BentoRun {
    const path = join(this.#folder, 'pipeline.yaml');
    writeFileSync(path, yaml);
    const child = spawn(this.#program, ['run', path], { stdio: ['ignore', 'ignore', 'inherit'] });
    this.#lifetime.owns(child);
    return new BentoRun(child);
  }

  /** Runs a configuration whose input ends. Returns its CPU time. */
  secondsOf(yaml: string): number {
    const path = join(this.#folder, 'pipeline.yaml');
    writeFileSync(path, yaml);
    const { status, stderr } = spawnSync('sh', ['-c', '"$0" run "$1" && times >&2', this.#program, path], {
      encoding: 'utf8',
    });
    const last = stderr.trimEnd().split('\n').at(-1) ?? '';
    const [user, system] = [...last.matchAll(/(\d+)m([\d.]+)s/g)].map(
      ([, minutes, seconds]) => Number(minutes) * 60 + Number(seconds),
    );
    if (status !== 0 || user === undefined || system === undefined)
      throw new Error(`Bento failed: ${stderr}`);
    return user + system;
  }
}

class BentoRun {
  readonly #child: ChildProcess;
  readonly #ended: Promise<number | null>;

  constructor(child: ChildProcess) {
    this.#child = child;
    this.#ended = new Promise((resolve) => child.once('close', resolve));
  }

  get cpuSeconds(): number {
    return statsOf(this.#child.pid!)?.cpuSeconds ?? 0;
  }

  async end(): Promise<void> {
    this.#child.kill('SIGTERM');
    await this.#ended;
  }
}
