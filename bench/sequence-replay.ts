import { batchOf, TestStore } from '@weir/broker/testing';
import {
  type FileCommit,
  type FileCommitResult,
  type FilesToCommit,
  filesToSend,
  writeReplayTask,
} from '@weir/cluster';
import { Metrics, seededRandom } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import { buildLogFile, logFileKey, newFileId, type StoreOperation } from '@weir/storage';
import { latencyStore } from '@weir/storage/testing';
import { sequenceReplay } from '../packages/jobs/src/sequence-replay.ts';
import { atLeast, type Benchmark, type Row } from './benchmark.ts';
import { latencySource, type StoreLatency } from './kafka/store-latency.ts';

/** What an agent left: files of so many partitions, a batch of each. */
const partitions = 24;
const files = 4_000;
const smokeFiles = 200;
const clusterId = 'vci_virtual';
const sequenceId = '0123456789abc';
const topicId = Buffer.alloc(16, 1).toString('base64url');

/** Of a leader that is not far away. */
const callMs = 8;
/** What an agent stores per second that closes a file every 25 ms. */
const writtenPerSecond = 40;
const seed = 17;

const stores: readonly { readonly what: string; readonly latency: StoreLatency }[] = [
  { what: 'store 60 ms', latency: { kind: 'constant', ms: 60 } },
  { what: 'store 60 ms (p99 400 ms)', latency: { kind: 'log-normal', medianMs: 60, p99Ms: 400 } },
];

/**
 * How fast a job commits the files that an agent left, in virtual time: nothing but the store and the leader takes
 * time. It has to be several times as fast as agents write, or an outage is never over.
 */
export const sequenceReplays: Benchmark = {
  name: 'sequence-replay',
  async run(effort) {
    const rows: Row[] = [];
    for (const { what, latency } of stores) {
      const { seconds, requests, count } = await replay(latency, effort.turns > 1 ? files : smokeFiles);
      rows.push({
        what: `files that a job commits, ${partitions} partitions in each, ${what}`,
        result: Math.round(count / seconds),
        unit: '/s',
        bar: atLeast(4 * writtenPerSecond),
        detail: `${count} files in ${seconds.toFixed(1)} s, ${(requests / count).toFixed(2)} requests to the store per file`,
      });
    }
    return rows;
  },
};

async function replay(latency: StoreLatency, count: number) {
  const clock = new HandClock();
  const random = seededRandom(seed);
  const stored = new TestStore();
  const fromMs = clock.nowMs();
  for (let n = 0; n < count; n++) {
    const fileId = newFileId(fromMs + n * 25, random, 0, { sequence: sequenceId });
    const batches = Array.from({ length: partitions }, (_, partition) => ({
      topicId,
      partition,
      bytes: batchOf([`${n}`]),
    }));
    stored.objects.set(
      logFileKey(clusterId, fileId),
      Buffer.concat(buildLogFile({ clusterId, fileId, batches }).slices),
    );
  }
  let requests = 0;
  const next = latencySource(latency, random);
  const latencyMs = (_random: unknown, operation: StoreOperation) => {
    if (operation === 'getRange' || operation === 'head') requests++;
    return next();
  };
  const store = latencyStore(stored, { clock, random, latencyMs });
  const call = () => new Promise<void>((resolve) => clock.after(callMs, resolve));
  const { run } = sequenceReplay({
    clusterId,
    port: {
      async unknownFiles(fileIds) {
        await call();
        return [...fileIds];
      },
      async commitFiles(wanted: FilesToCommit) {
        await call();
        return filesToSend(wanted).map(committed);
      },
      closeFileSequences: call,
    },
    buckets: () => [{ number: 0, open: () => store }],
    checkOwner: async () => {},
    clock,
    metrics: new Metrics(),
  });
  const task = writeReplayTask({ sequenceId, fromMs: fromMs - 1 });
  const running = run(task, { signal: new AbortController().signal, checkpoint: null, progress() {} });
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  running.then(end, end);
  while (!isOver) await clock.pass(1_000, () => isOver);
  await running;
  return { seconds: clock.monotonicMs() / 1_000, requests, count };
}

function committed({ topic: { length } }: FileCommit): FileCommitResult {
  return {
    error: new Uint8Array(length),
    baseOffset: new Float64Array(length),
    logStartOffset: new Float64Array(length),
  };
}
