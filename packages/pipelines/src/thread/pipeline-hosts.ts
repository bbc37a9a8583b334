import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Clock } from '@weir/core';
import { pipelineLimits } from '../limits.ts';
import type { FromHost, ToHost } from './host-messages.ts';
import { InstanceFailed, type ThreadOwner } from './run-in-thread.ts';
import type { ThreadStart } from './thread-messages.ts';

type InstanceOwner = Pick<ThreadOwner, 'signal' | 'drainMsMax' | 'onLog' | 'onCounts' | 'take'>;

const entry = fileURLToPath(import.meta.resolve('./host-process.ts'));

/**
 * Runs instances of pipelines in threads of another process. A thread that allocates fast can end its process in spite
 * of its limits, and then it ends none of the agent. The instances that were in such a process start again, each in a
 * process of its own, until they have run for a while: so that one of them does not end the others again.
 */
export class PipelineHosts {
  readonly #clock: Clock;
  readonly #entry: string;
  #shared: Host | undefined;
  /** Instances that were in a process that ended, and until when they stay alone. */
  readonly #alone = new Map<string, number>();
  readonly #hosts = new Set<Host>();
  #cancelEnding = () => {};

  constructor(clock: Clock, hostEntry = entry) {
    this.#clock = clock;
    this.#entry = hostEntry;
  }

  /** Runs an instance until it ends or its signal is aborted; `key` is the same when it starts again. */
  async run(key: string, start: ThreadStart, owner: InstanceOwner): Promise<void> {
    if (owner.signal.aborted) return;
    const isAlone = this.#isAlone(key);
    const host = isAlone ? this.#newHost() : this.#sharedHost();
    try {
      await host.run(key, start, owner);
      this.#alone.delete(key);
    } finally {
      if (isAlone) host.end();
      else if (host.isIdle) this.#endLater(host);
    }
  }

  end(): void {
    this.#cancelEnding();
    for (const host of this.#hosts) host.end();
  }

  /** The ids of the processes, for tests. */
  get pids(): number[] {
    return [...this.#hosts].map(({ pid }) => pid!);
  }

  #isAlone(key: string): boolean {
    const untilMs = this.#alone.get(key);
    if (untilMs === undefined) return false;
    if (this.#clock.monotonicMs() < untilMs) return true;
    this.#alone.delete(key);
    return false;
  }

  #sharedHost(): Host {
    this.#shared ??= this.#newHost();
    return this.#shared;
  }

  #newHost(): Host {
    const host = new Host(this.#entry, (keys) => {
      this.#hosts.delete(host);
      if (this.#shared === host) this.#shared = undefined;
      const untilMs = this.#clock.monotonicMs() + pipelineLimits.aloneMs;
      for (const key of keys) this.#alone.set(key, untilMs);
    });
    this.#hosts.add(host);
    return host;
  }

  /** A pipeline that starts again soon needs no new process. */
  #endLater(host: Host): void {
    this.#cancelEnding();
    this.#cancelEnding = this.#clock.after(pipelineLimits.idleHostMs, () => {
      if (!host.isIdle || this.#shared !== host) return;
      this.#shared = undefined;
      host.end();
    });
  }
}

interface Instance {
  readonly key: string;
  readonly owner: InstanceOwner;
  resolve(): void;
  reject(error: Error): void;
}

/** One process with threads. */
class Host {
  readonly #child: ChildProcess;
  readonly #instances = new Map<number, Instance>();
  /** What the runtime printed last, which says why it ended. */
  #lastOutput = '';
  #nextId = 1;

  constructor(hostEntry: string, onEnd: (keys: readonly string[]) => void) {
    this.#child = fork(hostEntry, ['pipelines'], {
      execArgv: v8Options,
      env: hostEnvironment,
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#child.stderr!.on('data', (bytes: Buffer) => {
      this.#lastOutput = (this.#lastOutput + bytes.toString()).slice(-outputCharsMax);
    });
    this.#child.on('message', (message: FromHost) => this.#take(message));
    let hasEnded = false;
    const end = (reason: string) => {
      if (hasEnded) return;
      hasEnded = true;
      process.off('exit', this.#kill);
      const instances = [...this.#instances.values()];
      this.#instances.clear();
      onEnd(instances.map(({ key }) => key));
      for (const { reject } of instances) reject(new InstanceFailed(reason));
    };
    this.#child.on('error', ({ message }) => end(`failed to start a process for pipelines: ${message}`));
    this.#child.on('close', () => end(this.#whyEnded()));
    process.once('exit', this.#kill);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get isIdle(): boolean {
    return this.#instances.size === 0;
  }

  async run(key: string, start: ThreadStart, owner: InstanceOwner): Promise<void> {
    const id = this.#nextId++;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#instances.set(id, { key, owner, resolve, reject });
    const stop = () => this.#send({ kind: 'stop', id, drainMsMax: owner.drainMsMax?.() });
    owner.signal.addEventListener('abort', stop, { once: true });
    this.#send({ kind: 'start', id, start });
    try {
      await promise;
    } finally {
      owner.signal.removeEventListener('abort', stop);
      this.#instances.delete(id);
    }
  }

  end(): void {
    if (this.#child.connected) this.#child.disconnect();
  }

  readonly #kill = () => void this.#child.kill('SIGKILL');

  #send(message: ToHost): void {
    // A process that is about to end needs no message: its instances fail when it has ended.
    if (this.#child.connected) this.#child.send(message, () => {});
  }

  #take(message: FromHost): void {
    const { id } = message;
    const instance = this.#instances.get(id);
    if (instance === undefined) return;
    const { owner, resolve, reject } = instance;
    if (message.kind === 'counts') owner.onCounts(message.counts);
    else if (message.kind === 'log') owner.onLog(message.level, message.message, message.fields);
    else if (message.kind === 'take')
      void owner.take(message.bytes).then(() => this.#send({ kind: 'granted', id }));
    else if (message.kind === 'ended') resolve();
    else reject(new InstanceFailed(message.message, message.needsOperator));
  }

  #whyEnded(): string {
    const isMemory = /heap out of memory|heap limit|Allocation failed/i.test(this.#lastOutput);
    return isMemory
      ? 'the process of its thread ended for lack of memory; it starts again in a process of its own'
      : 'the process of its thread ended; it starts again in a process of its own';
  }
}

const outputCharsMax = 4096;

/**
 * V8 would let the small heap of a thread grow by half between two collections of all of it. Most of what a busy
 * pipeline has is garbage that waited for an acknowledgement, and collecting it took a third of its time.
 */
const v8Options = ['--heap-growing-percent=200', '--expose-gc'];

/** By default each thread has an area of malloc for itself, which keeps some MiB that nothing uses. */
const hostEnvironment = { MALLOC_ARENA_MAX: '2' };
