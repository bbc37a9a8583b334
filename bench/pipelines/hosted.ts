import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { systemClock } from '@weir/core';
import { PipelineHosts } from '@weir/pipelines/thread';
import { statsOf } from '../kafka/process-stats.ts';

const root = join(import.meta.dirname, '../..');
const { currentBundle } = (await import(
  new URL('../../scripts/current-bundle.mjs', import.meta.url).href
)) as { currentBundle(root: string): string | undefined };

/** The program of the process of pipelines as users have it: from sources, each thread would load a compiler too. */
function hostEntry(): string {
  if (currentBundle(root) === undefined)
    spawnSync(process.execPath, [join(root, 'scripts/bundle.mjs')], { stdio: 'inherit' });
  const entry = currentBundle(root);
  if (entry === undefined) throw new Error('failed to bundle: run npm run bundle and read its output');
  return join(dirname(entry), 'pipelines-thread-host-process.mjs');
}

/** Instances of pipelines in a process of their own, as agents run them. */
export class HostedPipelines {
  readonly #hosts = new PipelineHosts(systemClock, hostEntry());
  readonly #stop = new AbortController();
  readonly #running: Promise<void>[] = [];

  /** `onSent` gets the messages that were written since it was called last. */
  start(yaml: string, onSent: (messages: number) => void = () => {}): void {
    const key = `instance ${this.#running.length}`;
    const start = { yaml, secrets: {}, variables: {}, allowedHosts: ['127.0.0.1'] };
    const running = this.#hosts.run(key, start, {
      signal: this.#stop.signal,
      onLog() {},
      onCounts: ({ sentMessages }) => onSent(sentMessages),
      take: async () => {},
    });
    this.#running.push(running);
  }

  get cpuSeconds(): number {
    return this.#stats.cpuSeconds;
  }

  get residentBytes(): number {
    return this.#stats.residentBytes;
  }

  get #stats() {
    const stats = statsOf(this.#hosts.pids[0]!);
    if (stats === undefined) throw new Error('CPU time and memory of a process are known on Linux only');
    return stats;
  }

  async end(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#running);
    this.#hosts.end();
  }
}
