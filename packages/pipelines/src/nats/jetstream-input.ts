import { backOffMs } from '@weir/core';
import { Arrivals } from '../component/arrivals.ts';
import type { ComponentContext } from '../component/component-context.ts';
import type { Delivery, Input } from '../component/instances.ts';
import { Message } from '../component/message.ts';
import { pipelineLimits } from '../limits.ts';
import { type Consumer, type ConsumerOptions, openConsumer } from './jetstream-consumer.ts';
import { type NatsClient, natsClient } from './nats-client.ts';
import type { NatsConnection } from './nats-connection.ts';
import type { NatsValues } from './nats-fields.ts';
import { nakOf } from './nats-input.ts';
import type { NatsMessage } from './nats-parser.ts';

const pullMessagesMax = 256;
const pullMs = 30_000;
/** After a request has ended, an answer may still be on its way. */
const pullGraceMs = 5_000;

/** Messages of a stream of JetStream, which delivers those again that are not acknowledged. */
export class JetStreamInput implements Input {
  readonly #options: ConsumerOptions;
  readonly #client: NatsClient;
  readonly #context: ComponentContext;
  readonly #arrivals: Arrivals<NatsMessage>;
  /** Sequences of messages that are not settled. */
  readonly #unsettled = new Set<number>();
  #lastSequence: number | undefined;
  #subscribed: NatsConnection | undefined;
  #subscription: number | undefined;
  #pulls: Pulls | undefined;

  constructor(fields: NatsValues, options: ConsumerOptions, context: ComponentContext) {
    this.#options = options;
    this.#context = context;
    this.#client = natsClient(fields, context, (error) => this.#end(error));
    const { brokerWaitingMessagesMax: itemsMax, brokerWaitingBytesMax: bytesMax } = pipelineLimits;
    this.#arrivals = new Arrivals({ itemsMax, bytesMax }, (isPaused) =>
      this.#subscribed?.setPaused(isPaused),
    );
  }

  async read(stop: AbortSignal): Promise<Delivery | undefined> {
    if (this.#arrivals.isEmpty) {
      await this.#subscribe(stop);
      this.#pulls?.ask();
    }
    const message = await this.#arrivals.next(stop);
    return message && this.#delivery(message);
  }

  async close(): Promise<void> {
    this.#pulls?.end();
    const { current } = this.#client;
    if (this.#subscription !== undefined) await current?.unsubscribe(this.#subscription);
    // Others get them at once, and not when the time for an acknowledgement is over.
    for (const { reply } of this.#arrivals.drain()) current?.publish(reply, nakOf(0));
    await this.#client.close();
  }

  async #subscribe(stop: AbortSignal): Promise<void> {
    const connection = await this.#client.get(stop);
    if (this.#subscribed === connection) return;
    this.#subscribed = connection;
    this.#arrivals.begin();
    try {
      const listen = async (subject: string, group: string) => {
        const take = (message: NatsMessage) => this.#take(message, connection);
        this.#subscription = await connection.subscribe(subject, group, take);
      };
      const consumer = await openConsumer(connection, this.#options, this.#resumeAt(), listen);
      if (consumer.push === undefined) {
        const inbox = connection.newInbox();
        await listen(inbox, '');
        this.#pulls = new Pulls(connection, consumer, inbox, this.#context);
      }
    } catch (error) {
      connection.close(error as Error);
      throw error;
    }
  }

  /** A consumer without a name begins where the one before it was: at the first message that was not written. */
  #resumeAt(): number | undefined {
    if (this.#lastSequence === undefined) return undefined;
    let first = this.#lastSequence + 1;
    for (const sequence of this.#unsettled) first = Math.min(first, sequence);
    return first;
  }

  #end(error: Error): void {
    this.#subscribed = undefined;
    this.#subscription = undefined;
    this.#pulls?.end();
    this.#pulls = undefined;
    this.#arrivals.fail(error);
  }

  #take(message: NatsMessage, connection: NatsConnection): void {
    const { status, reply, statusText, byteCount } = message;
    if (status === undefined) {
      this.#pulls?.received();
      const { sequence } = placeOf(reply);
      this.#unsettled.add(sequence);
      this.#lastSequence = Math.max(this.#lastSequence ?? 0, sequence);
      this.#arrivals.push(message, byteCount);
    } else if (status === 100) {
      // The server asks whether messages arrive.
      if (reply !== '') connection.publish(reply, Buffer.alloc(0));
    } else if (this.#pulls !== undefined && !/deleted/i.test(statusText)) {
      this.#pulls.ended();
      if (this.#arrivals.isEmpty) this.#pulls.ask();
    } else connection.close(new Error(`JetStream ends the consumer: ${status} ${statusText}`));
  }

  #delivery({ subject, reply, headers, payload }: NatsMessage): Delivery {
    const place = placeOf(reply);
    const metadata = new Map<string, string>([['nats_subject', subject], ...place.metadata]);
    for (const [key, value] of headers) if (value !== '' && !metadata.has(key)) metadata.set(key, value);
    return {
      batch: [Message.of(payload, metadata)],
      settle: async (error) => {
        const { retryMsFirst: firstMs, retryMsMax: maxMs } = pipelineLimits;
        const answer =
          error === undefined
            ? Buffer.from('+ACK')
            : nakOf(backOffMs(Math.max(0, place.deliveries - 1), { firstMs, maxMs }));
        const connection = this.#client.current ?? (await this.#client.get(this.#context.stop));
        connection.publish(reply, answer);
        if (error === undefined) this.#unsettled.delete(place.sequence);
      },
    };
  }
}

/** Asks for messages, one request at a time. */
class Pulls {
  readonly #connection: NatsConnection;
  readonly #subject: string;
  readonly #inbox: string;
  readonly #clock: ComponentContext['clock'];
  #open = 0;
  #cancel: (() => void) | undefined;

  constructor(
    connection: NatsConnection,
    { stream, name }: Consumer,
    inbox: string,
    { clock }: Pick<ComponentContext, 'clock'>,
  ) {
    this.#connection = connection;
    this.#subject = `$JS.API.CONSUMER.MSG.NEXT.${stream}.${name}`;
    this.#inbox = inbox;
    this.#clock = clock;
  }

  ask(): void {
    if (this.#open > 0) return;
    const { brokerWaitingBytesMax: bytesMax } = pipelineLimits;
    const request = { batch: pullMessagesMax, expires: pullMs * 1e6, max_bytes: bytesMax };
    this.#connection.publish(this.#subject, Buffer.from(JSON.stringify(request)), { reply: this.#inbox });
    this.#open = pullMessagesMax;
    this.#cancel = this.#clock.after(pullMs + pullGraceMs, () => {
      this.#open = 0;
      this.ask();
    });
  }

  received(): void {
    if (--this.#open <= 0) this.ended();
  }

  ended(): void {
    this.#open = 0;
    this.#cancel?.();
  }

  end(): void {
    this.#cancel?.();
    this.#open = Number.POSITIVE_INFINITY;
  }
}

/** Where a message is in its stream, which the subject for its acknowledgement says. */
export function placeOf(reply: string): {
  readonly sequence: number;
  readonly deliveries: number;
  readonly metadata: readonly (readonly [string, string])[];
} {
  const words = reply.split('.');
  // Newer servers say the domain and the account too.
  const [domain = ''] = words.length >= 11 ? words.slice(2, 3) : [];
  const [, , delivered = '0', inStream = '0', inConsumer = '0', timestamp = '0', pending = '0'] = words.slice(
    words.length >= 11 ? 4 : 2,
  );
  return {
    sequence: Number(inStream),
    deliveries: Number(delivered),
    metadata: [
      ['nats_sequence_stream', inStream],
      ['nats_sequence_consumer', inConsumer],
      ['nats_num_delivered', delivered],
      ['nats_num_pending', pending],
      ['nats_domain', domain === '_' ? '' : domain],
      ['nats_timestamp_unix_nano', timestamp],
    ],
  };
}
