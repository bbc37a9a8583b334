import { backOffMs, pauseUnlessStopped } from '@weir/core';
import type { ConsumeMessage } from 'amqplib';
import { Arrivals } from '../component/arrivals.ts';
import type { ComponentContext } from '../component/component-context.ts';
import { reasonOf } from '../component/failures.ts';
import type { Delivery, Input } from '../component/instances.ts';
import { Message } from '../component/message.ts';
import { pipelineLimits } from '../limits.ts';
import { type AmqpClient, type AmqpConnection, amqpClient } from './amqp-connection.ts';
import type { AmqpValues } from './amqp-fields.ts';
import { metadataOf } from './amqp-metadata.ts';

interface QueueOptions {
  readonly queue: string;
  /** Absent if the queue has to be there. */
  readonly declares: { readonly durable: boolean; readonly autoDelete: boolean } | undefined;
  readonly bindings: readonly { readonly exchange: string; readonly key: string }[];
  readonly consumerTag: string;
  readonly autoAck: boolean;
  readonly prefetchCount: number;
  /** Whether a message that failed with this reason is dropped, or goes to the dead-letter exchange. */
  readonly isRejected: (reason: string) => boolean;
}

interface Arrived {
  readonly message: ConsumeMessage;
  readonly from: AmqpConnection;
}

const { brokerWaitingMessagesMax: itemsMax, brokerWaitingBytesMax: bytesMax } = pipelineLimits;

/** Messages of a queue, acknowledged when they are written; others go back to the queue. */
export class AmqpInput implements Input {
  readonly #options: QueueOptions;
  readonly #client: AmqpClient;
  readonly #context: ComponentContext;
  readonly #arrivals: Arrivals<Arrived>;
  #consuming: AmqpConnection | undefined;
  #prefetchCount: number;
  /** In a row, so that a message that cannot be written does not come back at once. */
  #failures = 0;

  constructor(fields: AmqpValues, options: QueueOptions, context: ComponentContext) {
    this.#options = options;
    this.#context = context;
    // Without a limit, a broker sends the whole queue.
    const { prefetchCount } = options;
    this.#prefetchCount = prefetchCount > 0 ? Math.min(prefetchCount, itemsMax) : itemsMax;
    this.#client = amqpClient(fields, context, (error) => {
      this.#consuming = undefined;
      // The broker delivers again what was not acknowledged.
      this.#arrivals.fail(error, { drops: !options.autoAck });
    });
    // One more than the broker may send.
    this.#arrivals = new Arrivals({ itemsMax: itemsMax + 1, bytesMax }, (isFull) => {
      if (isFull) this.#takesLess();
    });
  }

  async read(stop: AbortSignal): Promise<Delivery | undefined> {
    if (this.#arrivals.isEmpty) await this.#consume(stop);
    const arrived = await this.#arrivals.next(stop);
    return arrived && this.#delivery(arrived);
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  /** Messages are larger than expected: fewer of them fit into memory, which only a new consumer can say. */
  #takesLess(): void {
    this.#prefetchCount = Math.max(1, Math.floor(this.#prefetchCount / 2));
    this.#context.log.warn('failed to hold all prefetched messages', { prefetch_count: this.#prefetchCount });
    this.#consuming?.close(new Error('prefetched messages take too much memory; fewer are taken at a time'));
  }

  async #consume(stop: AbortSignal): Promise<void> {
    const connection = await this.#client.get(stop);
    if (this.#consuming === connection) return;
    this.#consuming = connection;
    this.#arrivals.begin();
    const { channel } = connection;
    const { queue, declares, bindings, consumerTag, autoAck } = this.#options;
    try {
      if (declares !== undefined) await channel.assertQueue(queue, declares);
      for (const { exchange, key } of bindings) await channel.bindQueue(queue, exchange, key);
      await channel.prefetch(this.#prefetchCount);
      const take = (message: ConsumeMessage | null) => {
        if (message === null) connection.close(new Error(`the broker ended the consumer of ${queue}`));
        else if (connection.failure === undefined)
          this.#arrivals.push({ message, from: connection }, message.content.length);
      };
      await channel.consume(queue, take, { consumerTag, noAck: autoAck });
    } catch (error) {
      connection.close(error as Error);
      throw error;
    }
  }

  #delivery({ message, from }: Arrived): Delivery {
    const { autoAck } = this.#options;
    return {
      batch: [Message.of(message.content, metadataOf(message))],
      settle: (error) => (autoAck ? undefined : this.#settle(message, from, error)),
    };
  }

  async #settle(message: ConsumeMessage, from: AmqpConnection, error: Error | undefined): Promise<void> {
    if (error === undefined) this.#failures = 0;
    const isRejected = error !== undefined && this.#options.isRejected(reasonOf(error));
    if (error !== undefined && !isRejected) {
      const { retryMsFirst: firstMs, retryMsMax: maxMs } = pipelineLimits;
      const pauseMs = backOffMs(this.#failures++, { firstMs, maxMs });
      await pauseUnlessStopped(this.#context.clock, pauseMs, this.#context.stop);
    }
    // The broker has given it to another consumer, or will.
    if (from.failure !== undefined) return;
    if (error === undefined) from.channel.ack(message);
    else from.channel.nack(message, false, !isRejected);
  }
}
