import type { Handler } from '../handler.ts';
import { consumeAsMember, consumeByAssignment } from './benchmark/consumer-client.ts';
import { ageLatency, fetchLatency } from './benchmark/partition-reader.ts';
import { runBenchmark } from './benchmark/run-benchmark.ts';

/** How long a broker may delay a fetch while there are no records. */
const longPollMs = 500;

export const benchmarkConsumerTool: Handler<'cli benchmark-consumer'> = (values, deps) => {
  const load = {
    topicName: values.topic!,
    // The rules have rejected a number.
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
          : consumeAsMember(client, load, values.group),
    },
    values,
    deps,
  );
};
