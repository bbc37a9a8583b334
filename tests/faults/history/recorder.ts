import type { Clock } from '@weir/core';
import { batchRecords, recordBatches } from '@weir/wire';
import type { OffsetLog } from '../../sim/committer.ts';
import { type Copied, type CopyLog, type ReadLog, textOf } from '../../sim/copy-history.ts';
import type { ProduceLog, SentBatch } from '../../sim/history.ts';
import type { FaultEvent } from './events.ts';

/** An event without its time. */
export type Happening = FaultEvent extends infer Event
  ? Event extends unknown
    ? Omit<Event, 'atMs'>
    : never
  : never;

/** Records what clients do and which answers they receive. It checks nothing. */
export class Recorder {
  readonly events: FaultEvent[] = [];
  readonly #clock: Clock;
  #calls = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  note(happening: Happening): void {
    this.events.push({ ...happening, atMs: this.#clock.monotonicMs() } as FaultEvent);
  }

  produceLog(topic: string): ProduceLog {
    const valuesOf = new Map<SentBatch, readonly string[]>();
    return {
      send: (batch) => {
        const values = [...recordBatches(batch.bytes, { partialTail: 'error' })].flatMap((view) =>
          [...batchRecords(view)].map(({ value }) => String(value).trimEnd()),
        );
        valuesOf.set(batch, values);
        const { partition, producer } = batch;
        for (const value of values)
          this.note({ type: 'write', topic, partition, value, producer: producer.name });
      },
      acknowledge: (batch, offset) => {
        const { partition } = batch;
        for (const [index, value] of valuesOf.get(batch)!.entries())
          this.note({ type: 'acknowledge', topic, partition, value, offset: offset + index });
      },
    };
  }

  copyLog(group: string, fromTopic: string, toTopic: string): CopyLog {
    const sourceOf = ({ partition, offset }: Copied) => ({ group, topic: fromTopic, partition, offset });
    return {
      begin: (transaction, copies) => {
        for (const copy of copies) {
          this.note({
            type: 'write',
            topic: toTopic,
            partition: copy.partition,
            value: textOf(copy),
            // Order is guaranteed for the whole group, whichever member writes.
            producer: group,
            transaction,
            source: sourceOf(copy),
          });
        }
      },
      askCommit: (transaction) => this.note({ type: 'askCommit', transaction }),
      abort: (transaction) => this.note({ type: 'aborted', transaction }),
      commit: (transaction) => this.note({ type: 'committed', transaction }),
    };
  }

  readLog(topic: string, isLast: boolean): ReadLog {
    return {
      read: (reader, partition, _count, text, offset) =>
        this.note({ type: 'read', reader, isLast, topic, partition, offset, value: text.trimEnd() }),
    };
  }

  offsetLog(group: string, topic: string, isLast = false): OffsetLog {
    return {
      fetch: () => {
        const call = this.#calls++;
        this.note({ type: 'fetchOffsets', call });
        return (at) => {
          for (const [partition, offset] of at)
            this.note({ type: 'offsetFetched', call, isLast, group, topic, partition, offset });
        };
      },
      commit: (_member, generationId, next) => {
        const call = this.#calls++;
        for (const [partition, offset] of next)
          this.note({ type: 'commitOffset', call, generationId, group, topic, partition, offset });
        return () => this.note({ type: 'offsetsCommitted', call });
      },
    };
  }
}
