import { parentPort } from 'node:worker_threads';
import { systemClock } from '@weir/core';
import { apis, errorByCode } from '@weir/wire';
import type { KafkaConnection } from '../packages/client/src/connection.ts';
import { connect } from '../tests/interop/brokers/stored.ts';

/** What the worker thread is to do: produce one batch again and again for a while. It replies with `ProducedLoad`. */
export interface ValidationLoad {
  readonly servers: string;
  readonly topic: string;
  readonly batch: Uint8Array;
  readonly connections: number;
  /** Partitions that a request has the batch for. Each connection has its own. */
  readonly partitionsInRequest: number;
  readonly ms: number;
}

export interface ProducedLoad {
  readonly bytes: number;
  readonly seconds: number;
}

/** Limit of Apache's producer per connection. */
const inFlightMax = 5;
const timeoutMs = 60_000;
/** The last version that names topics. */
const highestUseful = 12;

let connections: Promise<KafkaConnection[]> | undefined;

parentPort!.on('message', (load: ValidationLoad) => {
  connections ??= Promise.all(Array.from({ length: load.connections }, () => connect(load.servers, 'bench')));
  void connections.then((all) => produce(all, load)).then((produced) => parentPort!.postMessage(produced));
});

async function produce(
  all: readonly KafkaConnection[],
  { topic, batch, partitionsInRequest, ms }: ValidationLoad,
): Promise<ProducedLoad> {
  const records = Buffer.from(batch);
  const startMs = systemClock.monotonicMs();
  let bytes = 0;
  const slots = all.flatMap((connection, index) =>
    Array.from({ length: inFlightMax }, () => ({ connection, index })),
  );
  const partitionsOf = (connection: number) =>
    Array.from({ length: partitionsInRequest }, (_, at) => ({
      index: connection * partitionsInRequest + at,
      records,
    }));
  await Promise.all(
    slots.map(async ({ connection, index }) => {
      while (systemClock.monotonicMs() - startMs < ms) {
        const topicData = [{ name: topic, partitionData: partitionsOf(index) }];
        const request = { acks: -1, timeoutMs, topicData };
        const { responses } = await connection.request(apis.Produce, request, { timeoutMs, highestUseful });
        for (const { errorCode, errorMessage } of responses[0]!.partitionResponses) {
          if (errorCode !== 0) throw new Error(`${errorByCode(errorCode)?.name} ${errorMessage ?? ''}`);
          bytes += records.length;
        }
      }
    }),
  );
  return { bytes, seconds: (systemClock.monotonicMs() - startMs) / 1000 };
}
