import type { ComponentContext } from '../component/component-context.ts';
import { componentOf } from '../component/component-spec.ts';
import { reasonOf } from '../component/failures.ts';
import { bool, durationMs, int, list, oneOf, string } from '../component/field-types.ts';
import type { Delivery, Input } from '../component/instances.ts';
import { Message } from '../component/message.ts';
import { ReplayedInput } from '../engine/replayed-input.ts';
import { pipelineLimits } from '../limits.ts';
import { RedisClient, redisFields } from '../redis/redis-client.ts';
import type { RedisConnection } from '../redis/redis-connection.ts';
import { RedisError, type Reply } from '../redis/resp-reader.ts';
import { redisScan } from './redis-scan.ts';

const replays = bool('Whether messages that were not written are delivered again.').or(true);

function replayed(input: Input, isReplayed: boolean, { clock }: ComponentContext): Input {
  return isReplayed ? new ReplayedInput(input, clock) : input;
}

const redisList = componentOf('input', {
  name: 'redis_list',
  connectionsCountedBy: 'itself',
  about:
    'Pops messages from a list of Redis. A message that was popped and not written is lost with the process.',
  fields: {
    ...redisFields,
    key: string('The key of the list.'),
    auto_replay_nacks: replays,
    max_in_flight: int('Messages that are popped and not yet written; 0 is as many as the pipeline takes.')
      .or(0)
      .advanced(),
    timeout: durationMs('How long to wait for a message before asking again.').or('5s').advanced(),
    command: oneOf('Whether messages are popped from the beginning or from the end.', ['blpop', 'brpop'])
      .or('blpop')
      .advanced(),
  },
  open(fields, context) {
    const client = new RedisClient(fields, context);
    const timeoutMs = fields.timeout ?? 5_000;
    let inFlight = 0;
    let wake: (() => void) | undefined;
    const input: Input = {
      async read(stop) {
        while (fields.max_in_flight > 0 && inFlight >= fields.max_in_flight && !stop.aborted)
          await new Promise<void>((resolve) => {
            wake = resolve;
            stop.addEventListener('abort', () => resolve(), { once: true });
          });
        // Fractions of seconds are understood since Redis 6.
        const command = [fields.command, fields.key, timeoutMs / 1000];
        while (!stop.aborted) {
          const reply = await client.send(command, timeoutMs);
          const content = Array.isArray(reply) ? reply[1] : undefined;
          if (!Buffer.isBuffer(content)) continue;
          inFlight++;
          return {
            batch: [Message.of(content)],
            settle() {
              inFlight--;
              wake?.();
            },
          };
        }
        return undefined;
      },
      close: () => client.close(),
    };
    return replayed(input, fields.auto_replay_nacks, context);
  },
});

const { redisWaitingMessagesMax: waitingMax } = pipelineLimits;

/** Messages of channels; the connection is not read while enough of them wait. */
class PubsubInput implements Input {
  readonly #client: RedisClient;
  readonly #command: readonly string[];
  readonly #clock: ComponentContext['clock'];
  readonly #messages: Buffer[] = [];
  #wake: (() => void) | undefined;
  #connection: RedisConnection | undefined;

  constructor(client: RedisClient, command: readonly string[], { clock }: ComponentContext) {
    this.#client = client;
    this.#command = command;
    this.#clock = clock;
  }

  async read(stop: AbortSignal): Promise<Delivery | undefined> {
    while (!stop.aborted) {
      const content = this.#messages.shift();
      if (content !== undefined) return { batch: [Message.of(content)], settle() {} };
      this.#connection?.setPaused(false);
      await this.#subscribe();
      await this.#next(stop);
    }
    return undefined;
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  /** On a new connection, it has to be said again what is listened to. */
  async #subscribe(): Promise<void> {
    const connection = await this.#client.connection((reply) => this.#take(reply));
    if (this.#connection === connection) return;
    await connection.send(this.#command);
    this.#connection = connection;
  }

  #take(reply: readonly Reply[]): void {
    const content = reply.at(-1);
    if (!Buffer.isBuffer(content)) return;
    this.#messages.push(content);
    if (this.#messages.length >= waitingMax) this.#connection?.setPaused(true);
    this.#wake?.();
  }

  /** Until a message comes, or a moment later to see whether the connection is still there. */
  #next(stop: AbortSignal): Promise<void> {
    if (this.#messages.length > 0) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        cancel();
        stop.removeEventListener('abort', done);
        this.#wake = undefined;
        resolve();
      };
      const cancel = this.#clock.after(lookAgainMs, done);
      this.#wake = done;
      stop.addEventListener('abort', done);
      if (stop.aborted) done();
    });
  }
}

const lookAgainMs = 1_000;

const redisPubsub = componentOf('input', {
  name: 'redis_pubsub',
  connectionsCountedBy: 'itself',
  about: 'Listens to channels of Redis. What is published while it does not listen is not delivered.',
  fields: {
    ...redisFields,
    channels: list('The channels.', string('A channel.')).check(nonEmpty),
    use_patterns: bool('Whether channels are patterns, such as `news.*`.').or(false),
    auto_replay_nacks: replays,
  },
  open(fields, context) {
    const command = [fields.use_patterns ? 'PSUBSCRIBE' : 'SUBSCRIBE', ...fields.channels];
    return replayed(
      new PubsubInput(new RedisClient(fields, context), command, context),
      fields.auto_replay_nacks,
      context,
    );
  },
});

function nonEmpty(names: readonly string[]): string | undefined {
  return names.length === 0 ? 'has to have an item' : undefined;
}

interface StreamsOptions {
  readonly streams: readonly string[];
  readonly bodyKey: string;
  readonly group: string;
  readonly consumer: string;
  readonly limit: number;
  readonly createsStreams: boolean;
  readonly startsFromOldest: boolean;
  readonly commitMs: number;
  readonly timeoutMs: number;
}

/** Entries of streams, as a member of a consumer group. First come those that it got before and did not acknowledge. */
class StreamsInput implements Input {
  readonly #options: StreamsOptions;
  readonly #client: RedisClient;
  /** Of its own: on the other, a command waits until the one before has its entries. */
  readonly #commits: RedisClient;
  readonly #context: ComponentContext;
  /** Of streams whose earlier entries are not read to the end: the last id. */
  readonly #backlogs: Map<string, string>;
  readonly #acknowledged = new Map<string, string[]>();
  readonly #read: { readonly stream: string; readonly id: string; readonly message: Message }[] = [];
  /** Entries that were read and are not acknowledged yet. */
  readonly #known = new Set<string>();
  #isJoined = false;
  #cancelCommit: (() => void) | undefined;

  constructor(options: StreamsOptions, connect: () => RedisClient, context: ComponentContext) {
    this.#options = options;
    this.#client = connect();
    this.#commits = connect();
    this.#context = context;
    this.#backlogs = new Map(options.streams.map((stream) => [stream, '0']));
  }

  async read(stop: AbortSignal): Promise<Delivery | undefined> {
    while (!stop.aborted) {
      const next = this.#read.shift();
      if (next !== undefined) return this.#delivery(next);
      await this.#join();
      await this.#more();
    }
    return undefined;
  }

  async close(): Promise<void> {
    this.#cancelCommit?.();
    await this.#commit();
    await this.#commits.close();
    await this.#client.close();
  }

  #delivery({ stream, id, message }: { stream: string; id: string; message: Message }): Delivery {
    return {
      batch: [message],
      settle: (error) => {
        if (error !== undefined) {
          this.#read.push({ stream, id, message });
          return;
        }
        const ids = this.#acknowledged.get(stream) ?? [];
        this.#acknowledged.set(stream, [...ids, id]);
        this.#cancelCommit ??= this.#context.clock.after(this.#options.commitMs, () => void this.#commit());
      },
    };
  }

  async #commit(): Promise<void> {
    this.#cancelCommit = undefined;
    for (const [stream, ids] of this.#acknowledged) {
      this.#acknowledged.delete(stream);
      try {
        await this.#commits.send(['XACK', stream, this.#options.group, ...ids]);
        for (const id of ids) this.#known.delete(`${stream} ${id}`);
      } catch (error) {
        // With the next commit; if there is none, they are delivered again to this consumer.
        this.#acknowledged.set(stream, [...ids, ...(this.#acknowledged.get(stream) ?? [])]);
        this.#context.log.warn('failed to acknowledge entries', { stream, error: reasonOf(error) });
        return;
      }
    }
  }

  async #join(): Promise<void> {
    if (this.#isJoined) return;
    const { streams, group, createsStreams, startsFromOldest } = this.#options;
    for (const stream of streams) {
      const create = ['XGROUP', 'CREATE', stream, group, startsFromOldest ? '0' : '$'];
      try {
        await this.#client.send(createsStreams ? [...create, 'MKSTREAM'] : create);
      } catch (error) {
        if (!(error instanceof RedisError && error.message.startsWith('BUSYGROUP'))) throw error;
      }
    }
    this.#isJoined = true;
  }

  async #more(): Promise<void> {
    const { streams, group, consumer, limit, timeoutMs } = this.#options;
    const ids = streams.map((stream) => this.#backlogs.get(stream) ?? '>');
    try {
      const reply = await this.#client.send(
        [
          'XREADGROUP',
          'GROUP',
          group,
          consumer,
          'COUNT',
          limit,
          'BLOCK',
          Math.max(1, timeoutMs),
          'STREAMS',
          ...streams,
          ...ids,
        ],
        timeoutMs,
      );
      for (const [stream, entries] of pairs(reply)) this.#take(String(stream), entries);
    } catch (error) {
      // Redis may have given out entries that did not arrive: they are read again, as those of an earlier process.
      if (error instanceof RedisError) this.#isJoined = false;
      else for (const stream of streams) this.#backlogs.set(stream, '0');
      throw error;
    }
  }

  #take(stream: string, entries: Reply | undefined): void {
    const found = Array.isArray(entries) ? (entries as readonly Reply[]) : [];
    for (const entry of found) {
      const [id, fields] = entry as readonly Reply[];
      if (this.#backlogs.has(stream)) this.#backlogs.set(stream, String(id));
      const message = this.#messageOf(String(id), fields);
      const isKnown = this.#known.has(`${stream} ${id}`);
      if (message === undefined || isKnown) continue;
      this.#known.add(`${stream} ${id}`);
      this.#read.push({ stream, id: String(id), message });
    }
    if (found.length === 0) this.#backlogs.delete(stream);
  }

  /** An entry without a body, or one that was deleted, is no message. */
  #messageOf(id: string, fields: Reply | undefined): Message | undefined {
    let content: Buffer | undefined;
    const metadata = new Map<string, string>([['redis_stream', id]]);
    const parts = Array.isArray(fields) ? (fields as readonly Reply[]) : [];
    for (let at = 0; at + 1 < parts.length; at += 2) {
      const [name, value] = [String(parts[at]), parts[at + 1] as Buffer];
      if (name === this.#options.bodyKey) content = value;
      else metadata.set(name, value.toString());
    }
    return content && Message.of(content, metadata);
  }
}

function pairs(reply: Reply): (readonly [Reply, Reply | undefined])[] {
  if (!Array.isArray(reply)) return [];
  return (reply as readonly Reply[]).flatMap((pair) =>
    Array.isArray(pair) ? [[pair[0] as Reply, pair[1] as Reply | undefined] as const] : [],
  );
}

const redisStreams = componentOf('input', {
  name: 'redis_streams',
  connectionsCountedBy: 'itself',
  about:
    'Reads entries of streams of Redis as a member of a consumer group, and acknowledges those that were written.',
  fields: {
    ...redisFields,
    body_key: string('The field that is the content; all others are metadata.').or('body'),
    streams: list('The streams.', string('A stream.')).check(nonEmpty),
    auto_replay_nacks: replays,
    limit: int('Entries that are asked for at a time.').or(10),
    client_id: string('The name of the consumer.').or(''),
    consumer_group: string('The group.').or(''),
    create_streams: bool('Whether streams that do not exist are made.').or(true).advanced(),
    start_from_oldest: bool('Whether a new group begins with the oldest entry.').or(true).advanced(),
    commit_period: durationMs('How long acknowledgements are gathered.').or('1s').advanced(),
    timeout: durationMs('How long to wait for entries before asking again.').or('1s').advanced(),
  },
  check({ client_id, consumer_group }, reading, place) {
    if (client_id === '' || consumer_group === '')
      reading.problem(place, 'client_id and consumer_group have to be set');
  },
  open(fields, context) {
    const connect = () => new RedisClient(fields, context);
    const options: StreamsOptions = {
      streams: fields.streams,
      bodyKey: fields.body_key,
      group: fields.consumer_group,
      consumer: fields.client_id,
      limit: Math.max(1, fields.limit),
      createsStreams: fields.create_streams,
      startsFromOldest: fields.start_from_oldest,
      commitMs: fields.commit_period ?? 1_000,
      timeoutMs: Math.round(fields.timeout ?? 1_000),
    };
    return replayed(new StreamsInput(options, connect, context), fields.auto_replay_nacks, context);
  },
});

export const redisInputs = [redisList, redisPubsub, redisScan, redisStreams];
