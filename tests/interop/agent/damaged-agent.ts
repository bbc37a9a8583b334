import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { type Clock, jsonLog, Metrics, silentLog, systemClock, systemRandom } from '@weir/core';
import { TestCluster } from '@weir/metadata/testing';
import { createBucket, openStore } from '@weir/storage';
import { buildRecordBatch } from '@weir/wire';
import { startAgentUnderTest } from '../../../packages/agent/testing/running-agent.ts';
import { recheckMs, retriedMs } from '../../../packages/broker/src/damage/damage-registry.ts';
import { TestClient } from '../../../packages/broker/testing/test-client.ts';
import { until } from '../../../packages/core/testing/until.ts';
import { fileDamages, fileOf } from '../brokers/file-damage.ts';
import { type Lifetime, temporaryFolder } from '../brokers/weir-process.ts';

export const topic = 'damaged';
/**
 * Partition n has the second of its three files damaged in the n-th way; further partitions repeat the ways and are
 * restored later.
 */
export const damagedPartitions = fileDamages.map((_, way) => way);
const restoredPartitions = fileDamages.map((_, way) => fileDamages.length + way);
export const intactPartition = 2 * fileDamages.length;
const partitionCount = intactPartition + 1;

const offsets = [0, 1, 2];
export const valueAt = (partition: number, offset: number) => `value-${partition}-${offset}`;
export const timestampAt = (offset: number) => 1_000 * (offset + 1);

/**
 * Records that a reader finds when it skips the offsets that are reported as unreadable: partition, offset and value.
 */
export const readableRecords: readonly (readonly [partition: number, offset: number, value: string])[] =
  Array.from({ length: partitionCount }, (_, partition) =>
    offsets
      .filter((offset) => offset !== 1 || !damagedPartitions.includes(partition))
      .map((offset) => [partition, offset, valueAt(partition, offset)] as const),
  ).flat();

interface DamagedAgent {
  readonly broker: string;
  /**
   * Waits until readers have found all damage, restores the files of some partitions and waits until they are read.
   * Then advances the clock until clients pass the remaining errors to their applications.
   */
  restoreSome(): Promise<void>;
}

/** Starts an agent over damaged files on disk, with a clock that can jump ahead so that clients need not wait. */
export async function startDamagedAgent(lifetime: Lifetime): Promise<DamagedAgent> {
  const folder = temporaryFolder(lifetime);
  const clock = new JumpingClock();
  const cluster = new TestCluster();
  cluster.addTopic(topic, partitionCount);
  await createBucket(pathToFileURL(folder).href);
  const store = await openStore(pathToFileURL(folder).href, {
    clock: systemClock,
    random: systemRandom,
    environment: {},
    log: silentLog,
    metrics: new Metrics(),
  });
  lifetime.after(() => store.close());
  const damage = new DamageLog();
  const options = { clock, cluster, store, log: damage.log };

  // A separate writer, so that the reader has nothing in its cache.
  const writer = await startAgentUnderTest(lifetime, { ...options, agentId: 'writer' });
  await produceFiles(writer.agent.kafkaPort);
  await writer.agent.stop({ deadlineMs: 5_000 });
  const files = [...damagedPartitions, ...restoredPartitions].map((partition) => {
    const path = fileOf(folder, valueAt(partition, 1));
    return { partition, path, content: readFileSync(path) };
  });
  for (const { partition, path } of files) {
    fileDamages[partition % fileDamages.length]!(path, valueAt(partition, 1));
  }
  const { agent } = await startAgentUnderTest(lifetime, { ...options, agentId: 'reader' });
  let isOver = false;
  lifetime.after(async () => {
    isOver = true;
  });
  return {
    broker: `127.0.0.1:${agent.kafkaPort}`,
    async restoreSome() {
      await until(() => isOver || damage.found.size === files.length);
      const restored = files.filter(({ partition }) => restoredPartitions.includes(partition));
      for (const { path, content } of restored) writeFileSync(path, content);
      clock.aheadMs += recheckMs;
      await until(() => isOver || damage.recovered.size === restored.length);
      clock.aheadMs += retriedMs;
    },
  };
}

/** Writes three records to each partition, each in its own file. */
async function produceFiles(port: number): Promise<void> {
  const client = await TestClient.connect(port);
  try {
    for (let index = 0; index < partitionCount; index++) {
      for (const offset of offsets) {
        const value = Buffer.from(valueAt(index, offset));
        const records = buildRecordBatch([{ timestamp: BigInt(timestampAt(offset)), key: null, value }]);
        const { responses } = await client.call('Produce', 9, {
          transactionalId: null,
          acks: -1,
          timeoutMs: 30_000,
          topicData: [{ name: topic, partitionData: [{ index, records }] }],
        });
        const { errorCode } = responses[0]!.partitionResponses[0]!;
        if (errorCode !== 0) throw new Error(`Produce to partition ${index}: error ${errorCode}`);
      }
    }
  } finally {
    client.socket.destroy();
  }
}

/** The system clock with a monotonic time that can jump ahead. Timers are not affected. */
class JumpingClock implements Clock {
  aheadMs = 0;

  nowMs(): number {
    return systemClock.nowMs();
  }

  monotonicMs(): number {
    return systemClock.monotonicMs() + this.aheadMs;
  }

  after(delayMs: number, run: () => void): () => void {
    return systemClock.after(delayMs, run);
  }
}

/** Collects the partitions for which an agent has logged damage or recovery. */
class DamageLog {
  readonly found = new Set<number>();
  readonly recovered = new Set<number>();
  readonly log = jsonLog({
    level: 'info',
    nowMs: () => systemClock.nowMs(),
    write: (line) => {
      const { message, partition } = JSON.parse(line) as { message: string; partition: number };
      if (message === 'found damaged file') this.found.add(partition);
      if (message === 'recovered damaged file') this.recovered.add(partition);
    },
  });
}
