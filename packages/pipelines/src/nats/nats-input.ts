import { textOf } from '@weir/bloblang';
import { Arrivals } from '../component/arrivals.ts';
import type { ComponentContext } from '../component/component-context.ts';
import type { Delivery, Input } from '../component/instances.ts';
import { Message } from '../component/message.ts';
import { pipelineLimits } from '../limits.ts';
import { type NatsClient, natsClient } from './nats-client.ts';
import type { NatsConnection } from './nats-connection.ts';
import type { NatsValues } from './nats-fields.ts';
import type { NatsMessage } from './nats-parser.ts';

interface SubscriptionOptions {
  readonly subject: string;
  readonly queue: string;
  readonly waitingMax: number;
  readonly nakDelayMs: number | undefined;
  readonly sendsAck: boolean;
  readonly isReplayed: boolean;
}

/** Messages of a subject. What is published while no client listens is not delivered: core NATS keeps nothing. */
export class NatsInput implements Input {
  readonly #options: SubscriptionOptions;
  readonly #client: NatsClient;
  readonly #context: ComponentContext;
  readonly #arrivals: Arrivals<NatsMessage>;
  #subscribed: NatsConnection | undefined;

  constructor(fields: NatsValues, options: SubscriptionOptions, context: ComponentContext) {
    this.#options = options;
    this.#context = context;
    this.#client = natsClient(fields, context, (error) => {
      this.#subscribed = undefined;
      this.#arrivals.fail(error);
    });
    const { brokerWaitingBytesMax: bytesMax } = pipelineLimits;
    this.#arrivals = new Arrivals({ itemsMax: Math.max(1, options.waitingMax), bytesMax }, (isPaused) =>
      this.#subscribed?.setPaused(isPaused),
    );
  }

  async read(stop: AbortSignal): Promise<Delivery | undefined> {
    if (this.#arrivals.isEmpty) await this.#subscribe(stop);
    const message = await this.#arrivals.next(stop);
    return message && this.#delivery(message);
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  async #subscribe(stop: AbortSignal): Promise<void> {
    const connection = await this.#client.get(stop);
    if (this.#subscribed === connection) return;
    this.#subscribed = connection;
    this.#arrivals.begin();
    const { subject, queue } = this.#options;
    try {
      await connection.subscribe(subject, queue, (message) =>
        this.#arrivals.push(message, message.byteCount),
      );
    } catch (error) {
      connection.close(error as Error);
      throw error;
    }
  }

  #delivery(given: NatsMessage): Delivery {
    const { subject, reply, headers, payload } = given;
    let answer: Message | undefined;
    const { isReplayed } = this.#options;
    const answers = {
      store: (batch: readonly Message[]) => {
        answer ??= batch[0];
      },
      isReplayed,
    };
    const metadata = new Map<string, string>([
      ['nats_subject', subject],
      ['nats_reply_subject', reply],
    ]);
    // Of a header that is there twice, the first value.
    for (const [key, value] of headers) if (!metadata.has(key)) metadata.set(key, value);
    const origin = reply === '' ? undefined : { index: 0, answers };
    return {
      batch: [Message.of(payload, metadata, origin)],
      settle: (error) => (reply === '' ? undefined : this.#answer(reply, error, answer)),
    };
  }

  /** Who asked gets the answer of the pipeline, or learns whether the message was written. */
  async #answer(reply: string, error: Error | undefined, answer: Message | undefined): Promise<void> {
    const { sendsAck, nakDelayMs = 0 } = this.#options;
    const connection = this.#client.current ?? (await this.#client.get(this.#context.stop));
    if (error !== undefined) connection.publish(reply, nakOf(nakDelayMs));
    else if (answer !== undefined) {
      const headers = [...answer.metadata].map(([key, value]) => [key, textOf(value)] as const);
      connection.publish(reply, answer.content, { headers });
    } else if (sendsAck) connection.publish(reply, Buffer.from('+ACK'));
  }
}

/** The message has to be delivered again, after a while. */
export function nakOf(delayMs: number): Buffer {
  return Buffer.from(delayMs > 0 ? `-NAK {"delay": ${Math.round(delayMs * 1e6)}}` : '-NAK');
}
