import type { EventLoopUtilization } from 'node:perf_hooks';
import { MessageChannel, Worker } from 'node:worker_threads';
import { type Clock, systemClock } from '@weir/core';
import type { Frame } from '../net/frame-pool.ts';
import type { MemoryPool } from '../slabs/memory-pool.ts';
import { shareSlices } from './answer-slices.ts';
import { RemoteConnection } from './remote-connection.ts';
import { type SlabCounts, slabFrame } from './shared-frames.ts';
import { KnownMemory, type MemoryNumbers } from './shared-memory.ts';
import type { RingReader } from './shared-ring.ts';
import { channelMemory, ThreadChannel } from './thread-channel.ts';
import {
  frameFlags,
  fromThread,
  type MessageFromThread,
  type MessageToThread,
  type ThreadOptions,
  type ThreadTls,
  toThread,
} from './thread-messages.ts';

interface ServingThreadOptions extends Omit<ThreadOptions, 'channel'> {
  readonly clock: Clock;
  readonly pool: MemoryPool;
  readonly numbers: MemoryNumbers;
}

/** What a serving thread has to say, except what belongs to one of its open connections. */
interface ServingThreadEvents {
  onAccepted(connection: RemoteConnection, message: MessageOf<'accepted'>): void;
  onProxied(connection: RemoteConnection, remoteAddress: string): void;
  onGreeted(connection: RemoteConnection, message: MessageOf<'greeted'>): void;
  onRefused(connection: RemoteConnection, message: MessageOf<'refused'>): void;
  onAcceptFailed(problem: string): void;
  /** It accepts no more connections. */
  onQuiet(): void;
  /** A connection was closed. */
  onClosed(): void;
  /** It has ended, with all of its connections. */
  onExit(problem: string): void;
}

type MessageOf<Kind extends MessageFromThread['kind']> = Extract<MessageFromThread, { readonly kind: Kind }>;

/** Requests in a frame that was received longer ago are rare, and clocks may jump. */
const ageMsMax = 60_000;

/** A serving thread, seen from the main thread. */
export class ServingThread {
  readonly #options: ServingThreadOptions;
  readonly #events: ServingThreadEvents;
  readonly #worker: Worker;
  readonly #channel: ThreadChannel<MessageFromThread, MessageToThread>;
  readonly #connections = new Map<number, RemoteConnection>();
  readonly #counts: SlabCounts;
  readonly #memory = new KnownMemory();
  /** Memory that the thread knows. */
  readonly #announced = new Set<number>();
  /** Why a stream cannot be decoded, until the record about it comes. */
  readonly #problems = new Map<number, string>();
  #utilization: EventLoopUtilization;
  #onListening: ((outcome: Listening) => void) | undefined;
  #problem = 'ended without an error';

  constructor(options: ServingThreadOptions, events: ServingThreadEvents) {
    const { clock: _clock, pool: _pool, numbers: _numbers, ...threadOptions } = options;
    this.#options = options;
    this.#events = events;
    this.#counts = new Int32Array(options.slabCounts);
    const { port1, port2 } = new MessageChannel();
    const memory = channelMemory();
    const workerOptions: ThreadOptions = { ...threadOptions, channel: memory };
    this.#worker = new Worker(new URL(import.meta.resolve('./serving-worker.ts')), {
      workerData: { port: port2, options: workerOptions },
      transferList: [port2],
    });
    this.#channel = new ThreadChannel('main', port1, memory, {
      onMessage: (message) => this.#onMessage(message),
      onRecord: (reader) => this.#onRecord(reader),
    });
    this.#utilization = this.#worker.performance.eventLoopUtilization();
    this.#worker.on('error', (error) => {
      this.#problem = error instanceof Error ? (error.stack ?? error.message) : String(error);
    });
    this.#worker.on('exit', () => this.#onExit());
  }

  get connectionCount(): number {
    return this.#connections.size;
  }

  /** Share of time in which it was busy since the last call. */
  takeUtilization(): number {
    const before = this.#utilization;
    this.#utilization = this.#worker.performance.eventLoopUtilization();
    const { utilization } = this.#worker.performance.eventLoopUtilization(this.#utilization, before);
    return Number.isFinite(utilization) ? utilization : 0;
  }

  /** Opens the port, or joins those that have opened it. Rejects with the error of the system. */
  async listen(host: string, port: number): Promise<{ readonly host: string; readonly port: number }> {
    const outcome = await new Promise<Listening>((resolve) => {
      this.#onListening = resolve;
      this.#channel.post({ kind: 'listen', host, port });
    });
    if (outcome.kind === 'listening') return outcome;
    throw Object.assign(new Error(outcome.problem), { code: outcome.code });
  }

  admit(connection: RemoteConnection, heldMs: number): void {
    this.#channel.write([toThread.admit, connection.id, heldMs > 0 ? 1 : 0]);
  }

  /** Lets it accept no more connections. */
  quiet(): void {
    this.#channel.write([toThread.quiet, 0]);
  }

  changeTls({ context, ticketKeys }: ThreadTls): void {
    this.#channel.post({ kind: 'tls', context, ticketKeys });
  }

  /** Called when memory is gone. */
  forget(id: number): void {
    if (this.#announced.delete(id)) this.#channel.post({ kind: 'forget', id });
  }

  /** Reads what the thread has not announced. */
  poll(): void {
    this.#channel.poll();
  }

  async terminate(): Promise<void> {
    await this.#worker.terminate();
  }

  #onMessage(message: MessageFromThread): void {
    switch (message.kind) {
      case 'memory':
        this.#memory.announced(message);
        return;
      case 'loaded':
        return;
      case 'listening':
      case 'notListening':
        this.#onListening?.(message);
        return;
      case 'acceptFailed':
        this.#events.onAcceptFailed(message.problem);
        return;
      case 'accepted':
        this.#accepted(message);
        return;
      case 'broken':
        this.#problems.set(message.connection, message.problem);
        return;
      default:
        this.#about(this.#connections.get(message.connection), message);
    }
  }

  #about(
    connection: RemoteConnection | undefined,
    message: MessageOf<'proxied' | 'greeted' | 'refused' | 'lost'>,
  ): void {
    if (connection === undefined) return;
    if (message.kind === 'refused') this.#events.onRefused(connection, message);
    // The main thread may have closed it meanwhile.
    if (connection.isDestroyed) return;
    if (message.kind === 'proxied') this.#events.onProxied(connection, message.remoteAddress);
    else if (message.kind === 'greeted') this.#events.onGreeted(connection, message);
    else if (message.kind === 'lost') connection.onLost(message.problem);
  }

  #accepted(message: MessageOf<'accepted'>): void {
    const { pool, numbers } = this.#options;
    const channel = this.#channel;
    const slices = {
      pool,
      numbers,
      announce: (id: number, memory: SharedArrayBuffer) => {
        if (this.#announced.has(id)) return;
        this.#announced.add(id);
        channel.post({ kind: 'memory', id, memory, isOnce: false });
      },
      give: (id: number, memory: ArrayBuffer) =>
        channel.post({ kind: 'memory', id, memory, isOnce: true }, [memory]),
    };
    const connection = new RemoteConnection(message.connection, {
      write: (record) => channel.write(record),
      send(id, answer) {
        const { words, release } = shareSlices(answer, slices);
        for (const some of words) channel.write([toThread.write, id, some.length / 3, ...some]);
        return release;
      },
    });
    this.#connections.set(connection.id, connection);
    this.#events.onAccepted(connection, message);
  }

  #onRecord(reader: RingReader): void {
    const kind = reader.word();
    const id = reader.word();
    if (kind === fromThread.quiet) {
      this.#events.onQuiet();
      return;
    }
    const connection = this.#connections.get(id);
    const nowMs = this.#options.clock.monotonicMs();
    if (kind === fromThread.frame) this.#onFrame(connection, reader, nowMs);
    else if (connection === undefined) return;
    else if (kind === fromThread.sent) connection.onSent(reader.word());
    else if (kind === fromThread.unfinished) connection.onUnfinished(reader.word(), reader.word(), nowMs);
    else if (kind === fromThread.broken) this.#onBroken(connection, reader.word(), nowMs);
    else if (kind === fromThread.ended) connection.onEnded();
    else if (kind === fromThread.closed) this.#onClosed(connection);
  }

  #onFrame(connection: RemoteConnection | undefined, reader: RingReader, nowMs: number): void {
    const receivedBytes = reader.word();
    const ageMs = ((systemClock.nowMs() | 0) - reader.word()) | 0;
    const frame = this.#frameAt(reader.word(), reader.word(), reader.word(), reader.word());
    const receivedMs = nowMs - Math.min(Math.max(ageMs, 0), ageMsMax);
    if (connection === undefined) frame.release();
    else connection.onFrame(frame, receivedBytes, receivedMs, nowMs);
  }

  #frameAt(id: number, start: number, length: number, flags: number): Frame {
    // Threads forget no memory.
    const bytes = this.#memory.slice(id, start, length)!;
    const isInSlab = id < this.#counts.length;
    if ((flags & frameFlags.carriesRecords) === 0) {
      // A handler may retain a part of it.
      const copy = Buffer.allocUnsafe(length);
      bytes.copy(copy);
      if (isInSlab) Atomics.sub(this.#counts, id, 1);
      return { bytes: copy, release() {} };
    }
    const hasCheckedCrcs = (flags & frameFlags.hasCheckedCrcs) !== 0;
    return isInSlab
      ? slabFrame(bytes, this.#counts, id, hasCheckedCrcs)
      : { bytes, hasCheckedCrcs, release() {} };
  }

  #onBroken(connection: RemoteConnection, receivedBytes: number, nowMs: number): void {
    const problem = this.#problems.get(connection.id) ?? 'stream cannot be decoded';
    this.#problems.delete(connection.id);
    connection.onBroken(receivedBytes, problem, nowMs);
  }

  #onClosed(connection: RemoteConnection): void {
    this.#connections.delete(connection.id);
    connection.onClosed();
    this.#events.onClosed();
  }

  #onExit(): void {
    this.#channel.close();
    const connections = [...this.#connections.values()];
    this.#connections.clear();
    for (const connection of connections) connection.onClosed('failed');
    this.#onListening?.({ kind: 'notListening', code: undefined, problem: this.#problem });
    this.#events.onExit(this.#problem);
  }
}

type Listening = MessageOf<'listening' | 'notListening'>;
