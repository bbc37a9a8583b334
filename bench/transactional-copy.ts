import { systemClock } from '@weir/core';
import { connect } from '../tests/interop/brokers/stored.ts';
import { createTopic } from '../tests/interop/brokers/topics.ts';
import { atLeast, type Benchmark } from './benchmark.ts';
import { withGroupCluster } from './groups/cluster.ts';
import { Copier } from './groups/copier.ts';
import { recordBytes } from './kafka/load.ts';
import { writeBatches } from './kafka/node-load.ts';
import { type Effort, median } from './side-by-side.ts';

interface Scale {
  readonly partitions: number;
  readonly recordsPerPartition: number;
  readonly rounds: number;
}

const full: Scale = { partitions: 4, recordsPerPartition: 40_000, rounds: 7 };
/** Smoke test. */
const tiny: Scale = { partitions: 2, recordsPerPartition: 200, rounds: 1 };

const recordsInBatch = 200;
/** Default of Kafka Streams with exactly-once. */
const commitIntervalMs = 100;

/**
 * Cost of transactions for an application that reads one topic and writes another: copies with and without transactions
 * in turns, of the same topic, with the same client and the same commit interval.
 */
export const transactionalCopy: Benchmark = {
  name: 'transactional-copy',
  startsServers: true,
  async run(effort: Effort) {
    const { partitions, recordsPerPartition, rounds } = effort.turns > 1 ? full : tiny;
    const records = partitions * recordsPerPartition;
    return withGroupCluster(effort, 1, async ({ addresses }) => {
      const broker = addresses[0]!;
      await createTopic(broker, 'input', partitions);
      const producers = 1;
      const load = {
        topics: ['input'],
        partitions,
        producers,
        records,
        recordsInBatch,
        partitionsInRequest: 1,
      };
      await writeBatches(systemClock, broker, load);
      const rates = { plain: [] as number[], transactional: [] as number[] };
      // The first round warms up the JIT.
      for (let round = 0; round <= rounds; round++) {
        const kinds = ['plain', 'transactional'] as const;
        for (const kind of round % 2 === 0 ? kinds : kinds.toReversed()) {
          const to = `${kind}-${round}`;
          await createTopic(broker, to, partitions);
          const seconds = await copy(broker, {
            from: 'input',
            to,
            partitions,
            recordsPerPartition,
            groupId: to,
            transactionalId: kind === 'plain' ? null : to,
            commitIntervalMs,
          });
          if (round > 0) rates[kind].push((records * recordBytes) / 1e6 / seconds);
        }
      }
      const ratios = rates.transactional.map((rate, round) => rate / rates.plain[round]!);
      return [
        {
          what: `copy in transactions of ${commitIntervalMs} ms / plain copy`,
          result: Math.round(median(ratios) * 100) / 100,
          unit: 'x',
          bar: atLeast(0.8),
          detail: `${Math.round(median(rates.transactional))} MB/s, ${Math.round(median(rates.plain))} MB/s`,
        },
      ];
    });
  },
};

async function copy(broker: string, work: ConstructorParameters<typeof Copier>[2]): Promise<number> {
  const [reader, writer] = [await connect(broker, 'bench'), await connect(broker, 'bench')];
  try {
    const copier = new Copier(reader, writer, work);
    await copier.begin();
    const startMs = systemClock.monotonicMs();
    await copier.run();
    return (systemClock.monotonicMs() - startMs) / 1000;
  } finally {
    reader.close();
    writer.close();
  }
}
