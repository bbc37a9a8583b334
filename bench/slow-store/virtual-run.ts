import { type FileCommitResult, type FilesToCommit, filesToSend } from '@weir/cluster';
import { type Clock, GiB, Metrics, MiB, seededRandom, silentLog } from '@weir/core';
import { HandClock, settle } from '@weir/core/testing';
import type { CallOptions, ObjectStore } from '@weir/storage';
import { headerAt, headerBytes } from '@weir/wire';
import type { ClusterView } from '../../packages/broker/src/cluster/cluster-view.ts';
import type { FlushLimits } from '../../packages/broker/src/write-path/data-file.ts';
import { createWritePath } from '../../packages/broker/src/write-path/file-write-path.ts';
import type { ProducedBatch } from '../../packages/broker/src/write-path/produced-batch.ts';
import { latencySource } from '../kafka/store-latency.ts';
import {
  type Measured,
  recordBytes,
  type SlowStoreLoad,
  storedRecordBytes,
  usualWindowMs,
  warmUpShare,
} from './loads.ts';
import { PacedProducer } from './paced-producer.ts';

export interface VirtualMachine {
  /** From the end of an upload to the answer of its commit. */
  readonly commitMs: number;
  /**
   * What requests take one after the other, on their way from a producer to the write path: all processes of a
   * benchmark share the cores.
   */
  readonly msPerRequest: number;
  readonly msPerMb: number;
}

interface VirtualOptions {
  readonly machine?: Partial<VirtualMachine>;
  readonly seed: number;
}

export interface VirtualResult extends Measured {
  /** Second and further uploads, as a share of all. */
  readonly hedgedShare: number;
}

const topicId = Buffer.alloc(16, 1).toString('base64url');

/** As `weir agent` sets them for two cores. */
const usual = {
  flush: { uncompressedBytesMax: 64 * MiB, compressedBytesMax: MiB, gatheredBytesMax: 16_000_000 },
  inflightFilesMax: 128,
  bufferedBytesMax: 128 * MiB,
} as const;

/**
 * Producers, the write path of an agent and a store with latencies from a seed, in virtual time: nothing but the store,
 * the commit and what `machine` says takes time, and a run of half a minute takes about a second.
 */
export async function runVirtually(
  { load, store: latency, windowMs = usualWindowMs }: SlowStoreLoad,
  { seed, ...options }: VirtualOptions,
): Promise<VirtualResult> {
  const machine: VirtualMachine = { commitMs: 5, msPerRequest: 0, msPerMb: 0, ...options.machine };
  const clock = new HandClock();
  const random = seededRandom(seed);
  const store = new VirtualStore(clock, latencySource(latency, random));
  const metrics = new Metrics();
  const flush: FlushLimits = { ...usual.flush, windowMs };
  const writePath = createWritePath({
    ...usual,
    flush,
    clusterId: 'vci_virtual',
    store: store as unknown as ObjectStore,
    hedgesUploads: true,
    cluster: virtualCluster(clock, machine.commitMs),
    clock,
    random,
    log: silentLog,
    metrics,
  });
  const network = new SerialWork(clock);
  const rate =
    load.mbPerSecond === undefined ? undefined : (load.mbPerSecond * 1e6) / recordBytes / load.producers;
  const records = Math.ceil((load.megabytes * 1e6) / recordBytes / load.producers);
  const warmUpRecords = Math.floor(records * warmUpShare);
  const latenciesMs: number[] = [];
  let warmMs = 0;
  const running = Promise.all(
    Array.from({ length: load.producers }, (_, producerId) => {
      const connection = {};
      const left = new AbortController().signal;
      return new PacedProducer({
        clock,
        partitions: load.partitions,
        rate,
        records,
        lingerMs: load.lingerMs,
        recordsPerBatch: Math.floor(load.batchBytes / storedRecordBytes),
        recordBytes: storedRecordBytes,
        async send(batches) {
          const produced = batches.map(({ partition, records: count }) =>
            batchOf(producerId, partition, count),
          );
          const megabytes = produced.reduce((sum, { bytes }) => sum + bytes.length, 0) / 1e6;
          await network.take(machine.msPerRequest + machine.msPerMb * megabytes);
          const { results } = await writePath.append(produced, {
            deadlineMs: clock.monotonicMs() + 60_000,
            connection,
            left,
          });
          for (const { error } of results) if (error !== 'NONE') throw new Error(error);
        },
        onAcknowledged(latencyMs, at) {
          if (at >= warmUpRecords) latenciesMs.push(latencyMs);
          else warmMs = clock.monotonicMs();
        },
      }).run(producerId * 0.37);
    }),
  );
  await until(clock, running);
  const endMs = clock.monotonicMs();
  writePath.abandon();
  latenciesMs.sort((a, b) => a - b);
  const bytes = records * load.producers * recordBytes;
  const at = (share: number) => Math.round(latenciesMs[Math.floor(share * latenciesMs.length)] ?? Number.NaN);
  return {
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    mbPerSecond: Math.round((bytes * (1 - warmUpShare)) / 1e3 / (endMs - warmMs)),
    putsPerGib: Math.round(store.puts / (bytes / GiB)),
    hedgedShare: 1 - store.stored / store.puts,
  };
}

/** Lets time pass until the promise settles, however many timers that takes. */
async function until(clock: HandClock, promise: Promise<unknown>): Promise<void> {
  let isSettled = false;
  const mark = () => {
    isSettled = true;
  };
  promise.then(mark, mark);
  while (!isSettled) await clock.pass(1_000, () => isSettled);
  await settle();
  await promise;
}

/** Batches of so many records; requests share them, since nothing reads their records. */
const batches = new Map<number, Buffer>();

function bytesOf(count: number): Buffer {
  let bytes = batches.get(count);
  if (bytes === undefined) {
    bytes = Buffer.alloc(Math.max(headerBytes, count * storedRecordBytes));
    bytes.writeInt32BE(bytes.length - headerAt.batchLength - 4, headerAt.batchLength);
    bytes[headerAt.magic] = 2;
    batches.set(count, bytes);
  }
  return bytes;
}

function batchOf(producerId: number, partition: number, count: number): ProducedBatch {
  return {
    topicId,
    partition,
    bytes: bytesOf(count),
    recordCount: count,
    uncompressedBytes: count * storedRecordBytes,
    maxTimestampMs: 0,
    producerId,
    producerEpoch: 0,
    baseSequence: 0,
  };
}

/** Counts uploads and forgets their content. */
class VirtualStore {
  readonly #clock: Clock;
  readonly #nextLatencyMs: () => number;
  puts = 0;
  stored = 0;

  constructor(clock: Clock, nextLatencyMs: () => number) {
    this.#clock = clock;
    this.#nextLatencyMs = nextLatencyMs;
  }

  put(_key: string, _content: readonly Uint8Array[], { signal }: CallOptions = {}): Promise<void> {
    this.puts++;
    return new Promise((resolve, reject) => {
      const cancel = this.#clock.after(this.#nextLatencyMs(), () => {
        this.stored++;
        resolve();
      });
      signal?.addEventListener('abort', () => {
        cancel();
        reject(signal.reason);
      });
    });
  }

  async delete(): Promise<void> {}
}

/** Commits everything, after a while. */
function virtualCluster(clock: Clock, commitMs: number): ClusterView {
  const port = {
    async commitFiles(wanted: FilesToCommit): Promise<readonly FileCommitResult[]> {
      const files = filesToSend(wanted);
      await new Promise<void>((resolve) => clock.after(commitMs, resolve));
      return files.map(({ topic: { length } }) => ({
        error: new Uint8Array(length),
        baseOffset: new Float64Array(length),
        logStartOffset: new Float64Array(length),
      }));
    },
  };
  return { port } as unknown as ClusterView;
}

/** A resource that one request at a time has. */
class SerialWork {
  readonly #clock: Clock;
  #freeMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  take(ms: number): Promise<void> {
    const nowMs = this.#clock.monotonicMs();
    if (ms === 0) return Promise.resolve();
    this.#freeMs = Math.max(this.#freeMs, nowMs) + ms;
    return new Promise((resolve) => this.#clock.after(this.#freeMs - nowMs, resolve));
  }
}
