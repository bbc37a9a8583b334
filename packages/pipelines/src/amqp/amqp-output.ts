import type { ConfirmChannel, Options } from 'amqplib';
import type { ComponentContext } from '../component/component-context.ts';
import { BatchFailure, type Output } from '../component/instances.ts';
import type { Batch } from '../component/message.ts';
import { type AmqpConnection, amqpClient } from './amqp-connection.ts';
import type { AmqpValues } from './amqp-fields.ts';

export interface Published {
  readonly exchange: string;
  readonly key: string;
  readonly content: Buffer;
  readonly options: Options.Publish;
}

interface PublishOptions {
  readonly publishedOf: (batch: Batch, index: number) => Published;
  /** Absent if exchanges have to be there. */
  readonly declares: { readonly type: string; readonly durable: boolean } | undefined;
  readonly timeoutMs: number | undefined;
}

/** Publishes each message of a batch; one is written when the broker has confirmed it. */
export function amqpOutput(fields: AmqpValues, options: PublishOptions, context: ComponentContext): Output {
  const { publishedOf, declares, timeoutMs } = options;
  const client = amqpClient(fields, context);
  const publishers = new WeakMap<AmqpConnection, Publisher>();
  return {
    async write(batch, stop) {
      const connection = await client.get(stop);
      const publisher = publishers.get(connection) ?? new Publisher(connection.channel, declares);
      publishers.set(connection, publisher);
      const failed = new Map<number, Error>();
      const sent = Promise.all(
        batch.map(async (_, index) => {
          try {
            await publisher.publish(publishedOf(batch, index));
          } catch (error) {
            // The client says only that the channel was closed.
            failed.set(index, connection.failure ?? (error as Error));
          }
        }),
      );
      if (timeoutMs === undefined || timeoutMs <= 0) await sent;
      else {
        // What was confirmed too late is written again.
        const late = () => connection.close(new Error('the AMQP broker has not confirmed messages in time'));
        const cancel = context.clock.after(timeoutMs, late);
        await sent.finally(cancel);
      }
      if (failed.size > 0) throw new BatchFailure(failed);
    },
    close: () => client.close(),
  };
}

const exchangesMax = 10_000;

/** Publishes on one channel. */
class Publisher {
  readonly #channel: ConfirmChannel;
  readonly #declares: PublishOptions['declares'];
  readonly #declared = new Map<string, Promise<unknown>>();
  /** Messages that are not confirmed, and have to reach a queue. */
  readonly #mandatory = new Map<Published, { isReturned: boolean }>();

  constructor(channel: ConfirmChannel, declares: PublishOptions['declares']) {
    this.#channel = channel;
    this.#declares = declares;
    // A message that reached no queue comes back before it is confirmed. Equal messages have the same fate.
    channel.on('return', ({ fields, content }) => {
      const { exchange, routingKey } = fields;
      for (const [sent, state] of this.#mandatory) {
        if (state.isReturned || sent.exchange !== exchange || sent.key !== routingKey) continue;
        if (!sent.content.equals(content)) continue;
        state.isReturned = true;
        return;
      }
    });
  }

  async publish(published: Published): Promise<void> {
    const { exchange, key, content, options } = published;
    if (this.#declares !== undefined) await this.#declaredExchange(exchange, this.#declares);
    const state = { isReturned: false };
    if (options.mandatory) this.#mandatory.set(published, state);
    try {
      await new Promise<void>((resolve, reject) => {
        this.#channel.publish(exchange, key, content, options, (error: Error | null) => {
          if (error) reject(error);
          else resolve();
        });
      });
    } finally {
      this.#mandatory.delete(published);
    }
    if (state.isReturned)
      throw new Error(`no queue takes messages of exchange "${exchange}" with key "${key}"`);
  }

  #declaredExchange(
    exchange: string,
    { type, durable }: NonNullable<PublishOptions['declares']>,
  ): Promise<unknown> {
    if (this.#declared.size > exchangesMax) this.#declared.clear();
    const found =
      this.#declared.get(exchange) ??
      this.#channel.assertExchange(exchange, type, { durable, autoDelete: false, internal: false });
    this.#declared.set(exchange, found);
    return found;
  }
}
