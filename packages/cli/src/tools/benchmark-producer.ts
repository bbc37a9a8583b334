import { systemRandom } from '@weir/core';
import type { Handler } from '../handler.ts';
import { Allowance, Pace } from './benchmark/pace.ts';
import { produceAtPace, produceLatency, randomPool } from './benchmark/producer-client.ts';
import { runBenchmark } from './benchmark/run-benchmark.ts';

export const benchmarkProducerTool: Handler<'cli benchmark-producer'> = (values, deps) => {
  const allowance = new Allowance(values['num-records']);
  const recordsPerSecond = values['max-records-per-second'] / values['num-clients'];
  const recordBytes = values['record-size'];
  const pool = randomPool(recordBytes, systemRandom);
  return runBenchmark(
    {
      speaker: 'weir cli benchmark-producer',
      latencyNames: [produceLatency],
      runClient: (client) =>
        produceAtPace(client, {
          topicName: values.topic!,
          acks: values.acks,
          codec: values['compression-codec'],
          recordBytes,
          pool,
          batchBytesMax: values['producer-max-bytes'],
          pace: new Pace(deps.clock, recordsPerSecond),
          allowance,
        }),
    },
    values,
    deps,
  );
};
