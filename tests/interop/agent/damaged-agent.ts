import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { type Clock, jsonLog, Metrics, silentLog, systemClock, systemRandom } from '@weir/core';
import { openStore } from '@weir/storage';
import { buildRecordBatch } from '@weir/wire';
import { recheckMs, retriedMs } from '../../../packages/agent/src/damage/damage-registry.ts';
import { FakeCluster, TestClient, until } from '../../../packages/agent/testing/index.ts';
import { startAgentUnderTest } from '../../../packages/agent/testing/running-agent.ts';
import { fileDamages, fileOf } from '../brokers/file-damage.ts';
import { type Lifetime, temporaryFolder } from '../brokers/weir-process.ts';

export const topic = 'damaged';
/** Partition n has its second of three files damaged in the n-th way, the next ones likewise until it is restored. */
export const damagedPartitions = fileDamages.map((_, way) => way);
const restoredPartitions = fileDamages.map((_, way) => fileDamages.length + way);
export const intactPartition = 2 * fileDamages.length;
const partitionCount = intactPartition + 1;

const offsets = [0, 1, 2];
export const valueAt = (partition: number, offset: number) => `value-${partition}-${offset}`;
export const timestampAt = (offset: number) => 1_000 * (offset + 1);

/** What a reader finds that skips the offsets that it is told to be unreadable: partition, offset and value. */
export const readableRecords: readonly (readonly [partition: number, offset: number, value: string])[] =
  Array.from({ length: partitionCount }, (_, partition) =>
    offsets
      .filter((offset) => offset !== 1 || !damagedPartitions.includes(partition))
      .map((offset) => [partition, offset, valueAt(partition, offset)] as const),
  ).flat();

interface DamagedAgent {
  readonly broker: string;
  /**
   * Waits until readers have met all damage, restores the files of some partitions and waits until they are read. Then time passes until
   * clients hand the damage of the others to their applications.
   */
  restoreSome(): Promise<void>;
}

/** An agent whose readers find files on disk damaged, in a time that jumps instead of making clients wait. */
export async function startDamagedAgent(lifetime: Lifetime): Promise<DamagedAgent> {
  const folder = temporaryFolder(lifetime);
  const clock = new JumpingClock();
  const cluster = new FakeCluster();
  cluster.addTopic(topic, partitionCount);
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

  // The reader must have nothing of it in memory.
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

/** Three records in each partition, each in a file of its own. */
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

/** Time that passes at the pace of the system and can jump ahead. Timers do not notice. */
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

/** The partitions of which an agent has logged damage, and the end of it. */
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
