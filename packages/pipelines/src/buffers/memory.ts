import type { ComponentContext } from '../component/component-context.ts';
import { componentOf } from '../component/component-spec.ts';
import { object } from '../component/field.ts';
import { bool, bytes } from '../component/field-types.ts';
import type { Buffer, Delivery, Input } from '../component/instances.ts';
import type { Batch } from '../component/message.ts';
import { batchFields } from '../engine/batch-policy.ts';
import { gatheredInput } from '../engine/gathering-input.ts';
import { endedError, Wake } from '../engine/pending-read.ts';
import { ReplayedInput } from '../engine/replayed-input.ts';

/** What is in the buffer. Messages are counted until they are written. */
class Queue implements Input {
  readonly #limitBytes: number;
  readonly #metrics: ComponentContext['metrics'];
  readonly #batches: { readonly batch: Batch; readonly byteCount: number }[] = [];
  readonly #added = new Wake();
  readonly #freed = new Wake();
  #byteCount = 0;
  #hasEnded = false;

  constructor(limitBytes: number, metrics: ComponentContext['metrics']) {
    this.#limitBytes = limitBytes;
    this.#metrics = metrics;
  }

  /** A batch above the limit has to wait until it is alone. */
  hasRoomFor(byteCount: number): boolean {
    return this.#byteCount === 0 || this.#byteCount + byteCount <= this.#limitBytes;
  }

  /** Resolves when messages were written. */
  freed(): Promise<void> {
    return this.#freed.next();
  }

  wake(): void {
    this.#freed.wake();
  }

  add(batch: Batch, byteCount: number): void {
    this.#batches.push({ batch, byteCount });
    this.#count(byteCount);
    this.#added.wake();
  }

  end(): void {
    this.#hasEnded = true;
    this.#added.wake();
  }

  async read(stop: AbortSignal): Promise<Delivery | undefined> {
    const woken = () => this.#added.wake();
    stop.addEventListener('abort', woken);
    try {
      for (;;) {
        const next = this.#batches.shift();
        if (next !== undefined) return this.#delivery(next.batch, next.byteCount);
        if (this.#hasEnded || stop.aborted) return undefined;
        await this.#added.next();
      }
    } finally {
      stop.removeEventListener('abort', woken);
    }
  }

  #delivery(batch: Batch, byteCount: number): Delivery {
    return {
      batch,
      settle: () => {
        this.#count(-byteCount);
        this.#freed.wake();
      },
    };
  }

  #count(byteCount: number): void {
    this.#byteCount += byteCount;
    this.#metrics.custom('gauge', 'buffer_active', {}, this.#byteCount);
  }

  async close(): Promise<void> {}
}

class MemoryBuffer implements Buffer {
  readonly #queue: Queue;
  /** The queue with batching, and with what was not written delivered again. */
  readonly #source: Input;
  readonly #spills: boolean;
  readonly #context: ComponentContext;

  constructor(queue: Queue, source: Input, spills: boolean, context: ComponentContext) {
    this.#queue = queue;
    this.#source = new ReplayedInput(source, context.clock);
    this.#spills = spills;
    this.#context = context;
  }

  async store(delivery: Delivery, stop: AbortSignal): Promise<void> {
    let byteCount = 0;
    for (const message of delivery.batch) byteCount += message.byteLength;
    const woken = () => this.#queue.wake();
    stop.addEventListener('abort', woken);
    try {
      while (!this.#queue.hasRoomFor(byteCount)) {
        if (this.#spills) return await this.#spill(delivery, byteCount);
        if (stop.aborted) return await delivery.settle(endedError());
        const end = this.#context.heldBack.begin();
        await this.#queue.freed();
        end();
      }
    } finally {
      stop.removeEventListener('abort', woken);
    }
    // Who waits for an answer gets none: the messages outlive the request.
    this.#queue.add(
      delivery.batch.map((message) => message.withOrigin(undefined)),
      byteCount,
    );
    await delivery.settle();
  }

  async #spill(delivery: Delivery, byteCount: number): Promise<void> {
    const { metrics, log } = this.#context;
    metrics.custom('counter', 'buffer_spillover', {}, byteCount);
    log.warn('failed to keep messages in the buffer, which is full, and dropped them', {
      messages: delivery.batch.length,
    });
    await delivery.settle();
  }

  next(stop: AbortSignal): Promise<Delivery | undefined> {
    return this.#source.read(stop);
  }

  end(): void {
    this.#queue.end();
  }

  async close(): Promise<void> {
    await this.#source.close();
  }
}

const { count, byte_size, period, jitter, check, processors } = batchFields;

export const memory = componentOf('buffer', {
  name: 'memory',
  about:
    'Keeps messages in memory. The input learns that they were written when they are kept: what is in memory is lost if the process ends.',
  fields: {
    limit: bytes('How many bytes it keeps before the input has to wait.').or(524288000),
    spillover: bool('Whether messages are dropped that it has no room for.').or(false).advanced(),
    batch_policy: object('How messages that it keeps are gathered into batches.', {
      enabled: bool('Whether messages are gathered.').or(false),
      count,
      byte_size,
      period,
      jitter,
      check,
      processors,
    }),
  },
  check(_values, reading, place) {
    reading.warning(
      place,
      'the buffer memory acknowledges messages before they are written: they are lost if the process ends; leave it out to lose nothing',
    );
  },
  async open({ limit, spillover, batch_policy: policy }, context) {
    const queue = new Queue(limit, context.metrics);
    const source = policy.enabled ? await gatheredInput(queue, policy, context) : queue;
    return new MemoryBuffer(queue, source, spillover, context);
  },
});
