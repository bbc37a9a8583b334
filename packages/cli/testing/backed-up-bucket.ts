import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { Metrics, silentLog, systemClock, systemRandom } from '@weir/core';
import { type Journal, packEntries } from '@weir/journal';
import type { ClusterNode } from '@weir/metadata';
import { memoryNode } from '@weir/metadata/testing';
import {
  buildLogFile,
  CompactedFileWriter,
  compactedFileId,
  createBucket,
  logFileKey,
  newFileId,
  type ObjectStore,
  openStore,
} from '@weir/storage';

interface BatchToWrite {
  readonly topicId: string;
  readonly partition: number;
  readonly bytes: Buffer;
  readonly recordCount: number;
  readonly transaction?: { readonly transactionalId: string; readonly producerId: number };
}

/** A bucket in a folder with the files of a cluster, and its leader in memory. */
export class BackedUpBucket {
  readonly clusterId: string;
  readonly folder: string;
  readonly node: ClusterNode;
  readonly store: ObjectStore;
  /** The folder of the next file that is written, two hex digits; any if absent. */
  nextFolder: string | undefined;
  readonly #journal: Journal;

  static async open(t: TestContext, clusterId = 'vci_test'): Promise<BackedUpBucket> {
    const folder = mkdtempSync(join(tmpdir(), 'weir-bucket-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const { hub, journal, node } = memoryNode({ clusterId, databaseUrl: `memory://${randomUUID()}` });
    node.start();
    t.after(async () => {
      await node.stop();
      await hub.close();
    });
    while (node.role !== 'leader') await new Promise<void>((resolve) => systemClock.after(1, resolve));
    await createBucket(`file://${folder}`);
    const store = await openStore(`file://${folder}`, {
      clock: systemClock,
      random: systemRandom,
      environment: {},
      log: silentLog,
      metrics: new Metrics(),
    });
    t.after(() => store.close());
    return new BackedUpBucket(clusterId, folder, node, store, journal);
  }

  private constructor(
    clusterId: string,
    folder: string,
    node: ClusterNode,
    store: ObjectStore,
    journal: Journal,
  ) {
    this.clusterId = clusterId;
    this.folder = folder;
    this.node = node;
    this.store = store;
    this.#journal = journal;
  }

  async createTopic(name: string, partitionCount = 1): Promise<string> {
    const [made] = await this.node.createTopics([{ name, partitionCount, configs: {} }], {
      validateOnly: false,
    });
    return made!.topic!.topicId;
  }

  path(fileId: string): string {
    return join(this.folder, logFileKey(this.clusterId, fileId));
  }

  /** Writes a file of level 0 into the bucket, without a commit. */
  upload(batches: readonly BatchToWrite[]) {
    const drawn = newFileId(systemClock.nowMs(), systemRandom);
    const fileId = this.nextFolder === undefined ? drawn : drawn.slice(0, -2) + this.nextFolder;
    const built = buildLogFile({ clusterId: this.clusterId, fileId, batches });
    mkdirSync(dirname(this.path(fileId)), { recursive: true });
    writeFileSync(this.path(fileId), Buffer.concat(built.slices));
    return { fileId, ...built };
  }

  /** Writes a file of level 0 and commits it. Returns its id. */
  async write(...batches: BatchToWrite[]): Promise<string> {
    const { fileId, fileBytes, placed } = this.upload(batches);
    const order = batches.map((_, index) => index).sort((a, b) => placed.order[a]! - placed.order[b]!);
    const sorted = order.map((index) => batches[index]!);
    const topicIds = [...new Set(sorted.map(({ topicId }) => topicId))];
    const ids = [...new Set(sorted.flatMap(({ transaction }) => transaction?.transactionalId ?? []))];
    const [result] = await this.node.commitFiles([
      {
        fileId,
        fileBytes,
        topicIds,
        topic: Uint32Array.from(sorted, ({ topicId }) => topicIds.indexOf(topicId)),
        partition: Uint32Array.from(sorted, ({ partition }) => partition),
        byteStart: Uint32Array.from(order, (index) => placed.byteStart[index]!),
        byteLength: Uint32Array.from(sorted, ({ bytes }) => bytes.length),
        recordCount: Uint32Array.from(sorted, ({ recordCount }) => recordCount),
        maxTimestampMs: new Float64Array(sorted.length).fill(systemClock.nowMs()),
        producerId: Float64Array.from(sorted, ({ transaction }) => transaction?.producerId ?? -1),
        producerEpoch: Int16Array.from(sorted, ({ transaction }) => (transaction === undefined ? -1 : 0)),
        baseSequence: Int32Array.from(sorted, ({ transaction }) => (transaction === undefined ? -1 : 0)),
        ...(ids.length === 0
          ? {}
          : {
              transactions: {
                transactionalIds: ids,
                transaction: Int32Array.from(sorted, ({ transaction }) =>
                  transaction === undefined ? -1 : ids.indexOf(transaction.transactionalId),
                ),
                addsPartition: new Uint8Array(sorted.length).fill(1),
              },
            }),
      },
    ]);
    const failed = result!.error.find((code) => code !== 0);
    if (failed !== undefined) throw new Error(`the commit failed with code ${failed}`);
    return fileId;
  }

  /** Replaces all files of one partition by a compacted one with the given batches. Returns its id. */
  async compact(
    topicId: string,
    inputFileIds: readonly string[],
    toOffset: number,
    batches: readonly { readonly bytes: Buffer; readonly baseOffset: number; readonly nextOffset: number }[],
  ): Promise<string> {
    const { clusterId } = this;
    const fileId = compactedFileId(1, systemClock.nowMs(), 0, systemRandom);
    const writer = await CompactedFileWriter.begin(this.store, { clusterId, fileId, partsInFlightMax: 1 });
    const byteStart = writer.bytes;
    for (const { bytes, baseOffset, nextOffset } of batches) {
      const recordCount = bytes.readInt32BE(57);
      await writer.append({
        topicId,
        partition: 0,
        bytes,
        batchCount: 1,
        recordCount,
        baseOffset,
        nextOffset,
      });
    }
    const byteLength = writer.bytes - byteStart;
    const fileBytes = await writer.finish();
    const { outcome, isReplaced } = await this.node.replaceRanges({
      plannedMs: systemClock.nowMs(),
      inputFileIds,
      outputs: [{ fileId, fileBytes }],
      topicIds: [topicId],
      ranges: {
        topic: Uint32Array.of(0),
        partition: Uint32Array.of(0),
        fromOffset: Float64Array.of(0),
        toOffset: Float64Array.of(toOffset),
        pointerCount: Uint32Array.of(1),
      },
      pointers: {
        file: Uint32Array.of(0),
        byteStart: Uint32Array.of(byteStart),
        byteLength: Uint32Array.of(byteLength),
        baseOffset: Float64Array.of(0),
        maxTimestampMs: Float64Array.of(systemClock.nowMs()),
      },
    });
    if (isReplaced[0] !== 1) throw new Error(`the compaction was refused: ${outcome}`);
    return fileId;
  }

  /** Stores the whole journal as a metadata backup. */
  async backUp(): Promise<void> {
    const { key, content } = await this.backup();
    await this.store.put(key, [content]);
  }

  /** The object that `backUp` stores. */
  async backup(): Promise<{ readonly key: string; readonly content: Buffer }> {
    const entries = await this.#journal.read(0, 1_000_000);
    const digits = (position: number) => String(position).padStart(16, '0');
    const range = `${digits(0)}-${digits(entries.length)}`;
    const key = `service/${this.clusterId}/metadata/00000000/entries/${range}`;
    return { key, content: packEntries(entries) };
  }
}
