import { createHash } from 'node:crypto';
import { systemClock } from '@weir/core';
import { headerAt } from '@weir/wire';
import {
  fetchRaw,
  logEnds,
  SourceCluster,
  sourceTopics,
} from '../../../packages/migration/src/source/index.ts';

/** The log of a partition as a broker sends it, without the leader epochs, which each cluster has of its own. */
export interface RawLog {
  readonly logStart: number;
  readonly endOffset: number;
  readonly byteLength: number;
  readonly recordCount: number;
  /** Batches that compaction left without records. */
  readonly emptyBatchCount: number;
  /** Of all batches, whose leader epochs are 0. */
  readonly digest: string;
}

const limits = { answerBytesMax: 8 * 1024 * 1024, partitionBytesMax: 4 * 1024 * 1024, waitMs: 0 };
const lengthOverheadBytes = 12;

/** Reads the logs of a topic, batch by batch. */
export async function rawLogs(broker: string, topic: string): Promise<readonly RawLog[]> {
  const source = openSource(broker);
  try {
    const found = (await sourceTopics(source, [topic])).topics[0];
    if (found === undefined) return [];
    const logs: RawLog[] = [];
    for (const { partition, leaderId } of found.partitions) {
      const [ends] = await logEnds(source, [{ topic, partition, leaderId }]);
      if (ends === undefined || 'failure' in ends) throw new Error(`${topic} ${partition}: ${ends?.message}`);
      const { logStart, endOffset } = ends;
      const hash = createHash('sha256');
      let [byteLength, recordCount, emptyBatchCount] = [0, 0, 0];
      for (let offset = logStart; offset < endOffset; ) {
        const position = { topic, partition, topicId: found.topicId, offset };
        const { fetched, refused } = await fetchRaw(source, leaderId, [position], limits);
        if (fetched[0] === undefined) throw new Error(`${topic} ${partition}: ${refused[0]?.message}`);
        const { records } = fetched[0];
        if (records.length === 0) break;
        for (let at = 0; records.length - at >= headerAt.magic; ) {
          const length = lengthOverheadBytes + records.readInt32BE(at + headerAt.batchLength);
          if (at + length > records.length) break;
          const batch = records.subarray(at, at + length);
          batch.writeInt32BE(0, headerAt.partitionLeaderEpoch);
          const next =
            Number(batch.readBigInt64BE(headerAt.baseOffset)) +
            batch.readInt32BE(headerAt.lastOffsetDelta) +
            1;
          at += length;
          if (next <= offset) continue;
          hash.update(batch);
          byteLength += length;
          const count = batch.readInt32BE(headerAt.recordCount);
          recordCount += count;
          if (count === 0) emptyBatchCount++;
          offset = next;
        }
      }
      const digest = hash.digest('hex');
      logs.push({ logStart, endOffset, byteLength, recordCount, emptyBatchCount, digest });
    }
    return logs;
  } finally {
    await source.close();
  }
}

/** The format of the first batch or message of a partition. */
export async function firstMagic(broker: string, topic: string): Promise<number> {
  const source = openSource(broker);
  try {
    const found = (await sourceTopics(source, [topic])).topics[0]!;
    const { partition, leaderId } = found.partitions[0]!;
    const position = { topic, partition, topicId: found.topicId, offset: 0 };
    const { fetched } = await fetchRaw(source, leaderId, [position], limits);
    return fetched[0]!.records.readInt8(headerAt.magic);
  } finally {
    await source.close();
  }
}

function openSource(broker: string): SourceCluster {
  const [host = '', port] = broker.split(':');
  return new SourceCluster({
    bootstrap: [{ host, port: Number(port) }],
    tls: undefined,
    login: undefined,
    lookupFor: undefined,
    clock: systemClock,
    stop: new AbortController().signal,
  });
}
