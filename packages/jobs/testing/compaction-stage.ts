import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { DataPath, produced, testAgent } from '@weir/broker/testing';
import { silentLog } from '@weir/core';
import { type BatchRecord, batchRecords, recordBatches } from '@weir/wire';
import { fileCompaction } from '../src/compaction/file-compaction.ts';
import { compactKeys, type KeyResult } from '../src/compaction/keys/compact-keys.ts';
import { keyCompaction } from '../src/compaction/keys/key-compaction.ts';
import { type MergeResult, mergeFiles } from '../src/compaction/merge-files.ts';
import { fileDeletion } from '../src/file-deletion.ts';
import { jobMetrics } from '../src/job-metrics.ts';
import { JobRunner } from '../src/job-runner.ts';

const bytesMax = 1 << 20;
const heartbeatMs = 5_000;

/** A cluster in virtual time whose files one agent merges, compacts and deletes, once its runner was started. */
export class CompactionStage {
  readonly path = new DataPath({ pages: { cacheBytesMax: 0, ownFiles: 'none' } });
  readonly cluster = this.path.cluster;
  readonly store = this.path.store;
  readonly runner: JobRunner;
  /** The number of the bucket for what merges write. All buckets of the stage are one store. */
  compactionBucket = 0;
  /** Called with what a job wrote, before it commits that. */
  onMerged: (result: MergeResult) => Promise<void> | void = () => {};
  onCompacted: (result: KeyResult) => Promise<void> | void = () => {};

  constructor(t: TestContext) {
    const { cluster, store } = this;
    const { random, metrics } = this.path;
    const { clusterId, clock } = cluster;
    const common = { clusterId, port: cluster, checkOwner: async () => {}, clock, metrics };
    this.runner = new JobRunner({
      port: cluster,
      agentId: 'a',
      kinds: [
        keyCompaction({
          ...common,
          compact: async (plan, options) => {
            const result = await compactKeys(plan, { ...options, store, random });
            await this.onCompacted(result);
            return result;
          },
        }),
        fileCompaction({
          ...common,
          merge: async (plan, options) => {
            const result = await mergeFiles(
              { ...plan, bucket: this.compactionBucket },
              { ...options, store, random },
            );
            await this.onMerged(result);
            return result;
          },
        }),
        fileDeletion({ ...common, stores: [store] }),
      ],
      slots: 2,
      clock,
      log: silentLog,
      metrics: jobMetrics(metrics),
    });
    t.after(() => this.runner.stop());
  }

  /** Writes a file with a batch. */
  async append(topicId: string, partition: number, batch: Buffer): Promise<void> {
    await this.path.writePath.append([produced(topicId, partition, batch)], { deadlineMs: 1e15 });
  }

  async pass(durationMs: number): Promise<void> {
    for (let leftMs = durationMs; leftMs > 0; leftMs -= heartbeatMs) {
      const stepMs = Math.min(leftMs, heartbeatMs);
      void this.cluster.heartbeat(testAgent('a'));
      this.path.clock.advance(stepMs);
      await this.cluster.clock.pass(stepMs);
    }
  }

  /** Every record of a partition with its offset, as a consumer gets them. */
  async read(
    topic: string,
    partition: number,
    fromOffset = 0n,
    textOf: (record: BatchRecord) => string = ({ value }) => String(value),
  ): Promise<string[]> {
    const found: string[] = [];
    for (let fetchOffset = fromOffset; ; ) {
      const partitions = [{ partition, fetchOffset, partitionMaxBytes: bytesMax }];
      const request = { maxWaitMs: 0, minBytes: 0, maxBytes: bytesMax, topics: [{ topic, partitions }] };
      const answer = await this.path.call('Fetch', 12, request);
      assert.ok(answer !== 'noReply' && answer !== 'close');
      const { errorCode, records } = answer.responses[0]!.partitions[0]!;
      assert.equal(errorCode, 0);
      const before = fetchOffset;
      for (const batch of recordBatches(records ?? Buffer.alloc(0), { partialTail: 'ignore' })) {
        for (const record of batchRecords(batch)) found.push(`${record.offset} ${textOf(record)}`);
        fetchOffset = batch.nextOffset;
      }
      if (fetchOffset === before) return found;
    }
  }

  /** The ids of the files in the bucket. */
  fileIds(): string[] {
    const found: string[] = [];
    for (const key of this.store.objects.keys()) if (/\/[\da-f]{32}$/.test(key)) found.push(key.slice(-32));
    return found;
  }

  async jobs(kind: string): Promise<(readonly [state: string, scope: string, message: string])[]> {
    const { jobs } = await this.cluster.listJobs();
    return jobs
      .filter((job) => job.kind === kind)
      .map(({ state, scope, message }) => [state, scope, message] as const);
  }
}
