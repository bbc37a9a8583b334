import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Metrics, MiB, silentLog, systemClock } from '@weir/core';
import { youngFileId } from '@weir/core/testing';
import type { FileCommit } from '../packages/cluster/src/calls/log-calls.ts';
import { type JournalHub, openJournals } from '../packages/journal/src/index.ts';
import { ClusterMachine } from '../packages/machine/src/machine.ts';
import { defaultLimits } from '../packages/machine/src/machine-limits.ts';
import { ClusterNode } from '../packages/metadata/src/leader/cluster-node.ts';
import { atMost, type Benchmark, ms, type Row } from './benchmark.ts';
import type { Effort } from './side-by-side.ts';

/** Size of the cluster and length of the run. */
export interface Scale {
  readonly partitions: number;
  readonly pointers: number;
  readonly commits: number;
}

export const fullScale: Scale = { partitions: 100_000, pointers: 10_000_000, commits: 2_000 };
/** Smoke test. */
export const tinyScale: Scale = { partitions: 2_000, pointers: 20_000, commits: 20 };

const partitionsPerTopic = 1_000;
const clusterId = 'vci_bench';
/**
 * Load of agents with the default window on one leader: a hundred files per second, with some hundred partitions each.
 */
const commitIntervalMs = 10;
const batchesPerCommit = 200;

/**
 * The control plane of a large cluster: start time from a snapshot, commit latency during the next snapshot, and
 * memory. Over SQLite, in one process, as a single control plane runs.
 */
export const metadataScale: Benchmark = {
  name: 'metadata-scale',
  async run(effort: Effort) {
    const scale = effort.turns > 1 ? fullScale : tinyScale;
    const folder = mkdtempSync(join(tmpdir(), 'weir-bench-'));
    const hub = openJournals(join(folder, 'weir.db'), { clock: systemClock, log: silentLog });
    try {
      await storeSnapshot(hub, scale);
      return await measure(hub, scale);
    } finally {
      await hub.close();
      rmSync(folder, { recursive: true });
    }
  },
};

async function storeSnapshot(hub: JournalHub, scale: Scale): Promise<void> {
  const saving = filled(scale).beginSave();
  await hub.journal(clusterId).saveSnapshot(0, saving.slices);
  saving.end();
}

async function measure(hub: JournalHub, scale: Scale): Promise<Row[]> {
  let machine: ClusterMachine | undefined;
  const node = new ClusterNode({
    clusterId,
    journal: hub.journal(clusterId),
    self: { id: 'bench', url: 'http://bench' },
    clock: systemClock,
    log: silentLog,
    metrics: new Metrics(),
    machines: {
      empty: (id) => ClusterMachine.empty(id),
      restore: (bytes) => {
        machine = ClusterMachine.restore(bytes);
        return machine;
      },
    },
  });
  const startMs = systemClock.monotonicMs();
  const startCpuMs = threadCpuMs();
  node.start();
  while (node.role !== 'leader') await pause(1);
  const startedMs = systemClock.monotonicMs() - startMs;
  const startedCpuMs = threadCpuMs() - startCpuMs;

  const quiet = await commitFor(node, scale, 0);
  const saves = new Saves(hub, machine!);
  const busy = await commitFor(node, scale, scale.commits);
  await saves.end();
  await node.stop();
  const { maxRSS } = process.resourceUsage();
  const size = `${scale.partitions} partitions, ${scale.pointers / 1e6} million pointers`;
  return [
    {
      what: `start from a snapshot: ${size}`,
      result: round(startedMs / 1000),
      unit: 's',
      bar: atMost(10),
      detail: `${round(startedCpuMs / 1000)} s of CPU`,
    },
    {
      what: `commit of ${batchesPerCommit} partitions while a snapshot is taken, p99`,
      result: round(percentile(busy, 0.99)),
      unit: 'ms',
      bar: atMost(20),
      detail: `p50 ${ms(percentile(busy, 0.5))}; without: p50 ${ms(percentile(quiet, 0.5))}, p99 ${ms(percentile(quiet, 0.99))}`,
    },
    {
      what: 'longest stop of the machine for a snapshot, in CPU time',
      result: round(saves.longestStopMs),
      unit: 'ms',
      detail: `${saves.count} snapshots, ${ms(saves.captureMs)} to begin, ${round(saves.bytes / MiB)} MiB each`,
    },
    {
      what: `memory of the process: ${size}`,
      result: round(maxRSS / 1024),
      unit: 'MiB',
      bar: atMost(1536),
      detail: 'its peak, the making of the cluster included',
    },
  ];
}

/** Takes one snapshot after the other, into a scratch journal. */
class Saves {
  count = 0;
  captureMs = 0;
  longestStopMs = 0;
  bytes = 0;
  isRunning = true;
  readonly #ended: Promise<void>;

  constructor(hub: JournalHub, machine: ClusterMachine) {
    this.#ended = this.#run(hub, machine);
  }

  async end(): Promise<void> {
    this.isRunning = false;
    await this.#ended;
  }

  async #run(hub: JournalHub, machine: ClusterMachine): Promise<void> {
    const journal = hub.journal('vci_scratch');
    do {
      const startMs = threadCpuMs();
      const saving = machine.beginSave();
      this.captureMs = threadCpuMs() - startMs;
      this.#stopped(this.captureMs);
      this.bytes = await journal.saveSnapshot(0, this.#timed(saving.slices));
      saving.end();
      this.count++;
    } while (this.isRunning);
  }

  *#timed(slices: Iterable<Buffer>): Generator<Buffer> {
    const iterator = slices[Symbol.iterator]();
    for (;;) {
      const startMs = threadCpuMs();
      const next = iterator.next();
      this.#stopped(threadCpuMs() - startMs);
      if (next.done === true) return;
      yield next.value;
    }
  }

  #stopped(durationMs: number): void {
    this.longestStopMs = Math.max(this.longestStopMs, durationMs);
  }
}

/** Commits at a steady rate and returns the latency of each commit from the time at which it was due. */
async function commitFor(node: ClusterNode, scale: Scale, firstFile: number): Promise<number[]> {
  const latencies: number[] = [];
  const commits: Promise<void>[] = [];
  const startMs = systemClock.monotonicMs();
  for (let count = 0; count < scale.commits; count++) {
    const dueMs = startMs + count * commitIntervalMs;
    const waitMs = dueMs - systemClock.monotonicMs();
    if (waitMs > 0) await pause(waitMs);
    const file = commitOf(scale, 0x1_0000_0000 + firstFile + count, batchesPerCommit);
    commits.push(
      node.commitFiles([file]).then(() => {
        latencies.push(systemClock.monotonicMs() - dueMs);
      }),
    );
  }
  await Promise.all(commits);
  return latencies;
}

export function filled(scale: Scale): ClusterMachine {
  const machine = ClusterMachine.empty(clusterId, { ...defaultLimits, recentFilesMax: 1_000 });
  for (let topic = 0; topic * partitionsPerTopic < scale.partitions; topic++) {
    const topics = [{ name: `topic-${topic}`, partitionCount: partitionsPerTopic, configs: {} }];
    machine.execute({ kind: 'createTopics', topics, topicIds: [`id-${topic}`], validateOnly: false }, 0);
  }
  const files = scale.pointers / partitionsPerTopic;
  for (let file = 0; file < files; file++) {
    const commit = commitOf(
      scale,
      file,
      partitionsPerTopic,
      Math.floor((file * partitionsPerTopic) / scale.partitions),
    );
    machine.execute({ kind: 'commitFiles', files: [commit] }, file);
  }
  return machine;
}

/**
 * Builds a commit with batches for neighbouring partitions of one topic. With a sequence, each batch is from the
 * idempotent producer of its partition.
 */
export function commitOf({ partitions }: Scale, number: number, batches: number, sequence = -1): FileCommit {
  const topic = number % (partitions / partitionsPerTopic);
  const rows = Array.from({ length: batches }, (_, row) => row);
  const firstPartition = (number * 7) % (partitionsPerTopic - batches + 1);
  return {
    fileId: youngFileId(number),
    fileBytes: batches * 1_000,
    topicIds: [`id-${topic}`],
    topic: new Uint32Array(batches),
    partition: Uint32Array.from(rows, (row) => firstPartition + row),
    byteStart: Uint32Array.from(rows, (row) => row * 1_000),
    byteLength: new Uint32Array(batches).fill(1_000),
    recordCount: new Uint32Array(batches).fill(10),
    maxTimestampMs: new Float64Array(batches).fill(number),
    producerId: Float64Array.from(rows, (row) => (sequence < 0 ? -1 : row)),
    producerEpoch: new Int16Array(batches).fill(sequence < 0 ? -1 : 0),
    baseSequence: new Int32Array(batches).fill(sequence < 0 ? -1 : sequence * 10),
  };
}

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}

/** CPU time of this thread, independent of the load of the machine. */
function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function pause(durationMs: number): Promise<void> {
  return new Promise((resolve) => systemClock.after(durationMs, resolve));
}
