import { parentPort } from 'node:worker_threads';
import { systemClock } from '@weir/core';
import { apis, errorByCode } from '@weir/wire';
import type { KafkaConnection } from '../packages/cli/src/kafka/connection.ts';
import { connect } from '../tests/interop/brokers/stored.ts';

/** What the worker thread is to do: produce one batch again and again for a while. It replies with bytes per second. */
export interface ValidationLoad {
  readonly servers: string;
  readonly topic: string;
  readonly batch: Uint8Array;
  readonly ms: number;
}

const connectionCount = 4;
/** Limit of Apache's producer per connection. */
const inFlightMax = 5;
const timeoutMs = 60_000;
/** The last version that names topics. */
const highestUseful = 12;

let connections: Promise<KafkaConnection[]> | undefined;

parentPort!.on('message', (load: ValidationLoad) => {
  connections ??= Promise.all(Array.from({ length: connectionCount }, () => connect(load.servers, 'bench')));
  void connections.then((all) => produce(all, load)).then((rate) => parentPort!.postMessage(rate));
});

async function produce(
  all: readonly KafkaConnection[],
  { topic, batch, ms }: ValidationLoad,
): Promise<number> {
  const records = Buffer.from(batch);
  const startMs = systemClock.monotonicMs();
  let bytes = 0;
  const slots = all.flatMap((connection, index) =>
    Array.from({ length: inFlightMax }, () => ({ connection, index })),
  );
  await Promise.all(
    slots.map(async ({ connection, index }) => {
      while (systemClock.monotonicMs() - startMs < ms) {
        const topicData = [{ name: topic, partitionData: [{ index, records }] }];
        const request = { acks: -1, timeoutMs, topicData };
        const { responses } = await connection.request(apis.Produce, request, { timeoutMs, highestUseful });
        const { errorCode, errorMessage } = responses[0]!.partitionResponses[0]!;
        if (errorCode !== 0) throw new Error(`${errorByCode(errorCode)?.name} ${errorMessage ?? ''}`);
        bytes += records.length;
      }
    }),
  );
  return (bytes * 1000) / (systemClock.monotonicMs() - startMs);
}
