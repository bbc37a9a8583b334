import { changeConfigs, createTopic, type KafkaCluster, Producer } from '@weir/client';
import { systemClock } from '@weir/core';
import { pause } from '../brokers/waiting.ts';
import { type RawLog, rawLogs } from './raw-log.ts';

/** For a broker whose logs are compacted soon. */
export const compactsSoon = ['log.cleaner.backoff.ms=200'];

type Configs = Parameters<typeof createTopic>[1]['configs'];

interface CompactingRelease {
  /** Release 2.3 has a longest lag of compaction, and changes single configs of a topic. */
  readonly isSince23: boolean;
}

/** For a topic of such a broker. */
export function compactedSoon({ isSince23 }: CompactingRelease): Configs {
  return Object.entries({
    'cleanup.policy': 'compact',
    'segment.bytes': '1048576',
    'min.cleanable.dirty.ratio': '0.01',
    'min.compaction.lag.ms': '0',
    ...(isSince23 ? { 'max.compaction.lag.ms': '1' } : {}),
  }).map(([name, value]) => ({ name, value }));
}

const keyCount = 5;
const turns = 4;
const batchesPerTurn = 30;
const recordsPerBatch = 50;

/**
 * Makes a log of one partition with the gaps of compaction, and waits until its broker does not compact it any more:
 * since release 2.3 because the topic says so, before because nothing is left to compact. The last batch of each
 * producer stays, without records if later ones have all of its keys.
 */
export async function makeCompactedLog(
  cluster: KafkaCluster,
  broker: string,
  topic: string,
  release: CompactingRelease,
): Promise<RawLog> {
  await createTopic(cluster, { name: topic, partitions: 1, configs: compactedSoon(release) });
  for (let turn = 0; turn < turns; turn++) {
    const producer = new Producer(cluster, {
      ...{ acks: 'all', codec: 'none', isIdempotent: true, batchBytesMax: 200_000 },
      ...{ timeoutMs: 60_000, metadataMaxAgeMs: 5_000 },
    });
    for (let batch = 0; batch < batchesPerTurn; batch++) {
      const records = Array.from({ length: recordsPerBatch }, (_, n) => ({
        key: Buffer.from(`k${n % keyCount}`),
        value: Buffer.from(`${turn} ${batch} ${n} ${'text '.repeat(200)}`),
        timestamp: BigInt(systemClock.nowMs()),
      }));
      const [failed] = (await producer.send(topic, 0, records)).values();
      if (failed !== undefined) throw failed;
    }
    producer.close();
  }
  const total = turns * batchesPerTurn * recordsPerBatch;
  for (;;) {
    const log = (await rawLogs(broker, topic))[0]!;
    if (log.emptyBatchCount > 0 && log.recordCount < total / 2) break;
    await pause(200);
  }
  if (release.isSince23)
    await changeConfigs(cluster, { kind: 'topic', name: topic }, [{ name: 'cleanup.policy', set: 'delete' }]);
  for (let before = ''; ; ) {
    const log = (await rawLogs(broker, topic))[0]!;
    if (log.digest === before) return log;
    before = log.digest;
    await pause(2_000);
  }
}
