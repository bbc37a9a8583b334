import { RecordBatchBuilder } from '@weir/wire';
import type { ProducedBatch } from '../write-path/produced-batch.ts';
import type { EventCut } from './event-queue.ts';

/** A record batch of events, without the topic that it goes to. */
export type EventBatch = Omit<ProducedBatch, 'topicId' | 'partition'>;

/** Makes the batch of a cut: a record per event, without a key, with the time of the event. A thread of the pool compresses it. */
export async function eventBatch({ events }: EventCut): Promise<EventBatch> {
  const builder = new RecordBatchBuilder({ codec: 'zstd' });
  let maxTimestampMs = 0;
  for (const { text, timeMs } of events) {
    builder.append({ timestamp: BigInt(timeMs), key: null, value: Buffer.from(text) });
    maxTimestampMs = Math.max(maxTimestampMs, timeMs);
  }
  const { uncompressedBytes, recordCount } = builder;
  const bytes = await builder.finishAside();
  const withoutProducer = { producerId: -1, producerEpoch: -1, baseSequence: -1 };
  return { bytes, uncompressedBytes, recordCount, maxTimestampMs, ...withoutProducer };
}
