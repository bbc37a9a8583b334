import type { Handler } from '../handler.ts';
import { consumeByAssignment, consumeByGroup } from './benchmark/consumer-client.ts';
import { ageLatency, fetchLatency } from './benchmark/partition-reader.ts';
import { runBenchmark } from './benchmark/run-benchmark.ts';

/** A broker holds a fetch back for so long while there is nothing to give. */
const longPollMs = 500;

export const benchmarkConsumerTool: Handler<'cli benchmark-consumer'> = (values, deps) => {
  const load = {
    topicName: values.topic!,
    // The rules have refused a number.
    from: values.offset === 'latest' ? 'latest' : 'earliest',
    clients: values['num-clients'],
    recordsMax: values['num-records'],
    limits: {
      maxWaitMs: longPollMs,
      responseBytesMax: values['fetch-max-bytes'],
      partitionBytesMax: values['fetch-max-partition-bytes'],
      timeoutMs: values['request-timeout'],
    },
  } as const;
  return runBenchmark(
    {
      speaker: 'weir cli benchmark-consumer',
      latencyNames: [fetchLatency, ageLatency],
      runClient: (client) =>
        values.group === undefined
          ? consumeByAssignment(client, load)
          : consumeByGroup(client, load, values.group),
    },
    values,
    deps,
  );
};
