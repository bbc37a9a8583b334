import type { ComponentContext } from '../component/component-context.ts';
import { componentOf } from '../component/component-spec.ts';
import { reasonOf } from '../component/failures.ts';
import { bool, string } from '../component/field-types.ts';
import type { Delivery, Input } from '../component/instances.ts';
import { Message } from '../component/message.ts';
import { ReplayedInput } from '../engine/replayed-input.ts';
import { RedisClient, redisFields } from '../redis/redis-client.ts';
import { RedisError } from '../redis/resp-reader.ts';

/** The keys of a database with their values, a message each. It ends after the last. */
class ScanInput implements Input {
  readonly #client: RedisClient;
  readonly #match: string;
  readonly #log: ComponentContext['log'];
  /** Where the server goes on; `undefined` at the end. */
  #cursor: string | undefined = '0';
  #keys: Buffer[] = [];

  constructor(client: RedisClient, match: string, { log }: ComponentContext) {
    this.#client = client;
    this.#match = match;
    this.#log = log;
  }

  async read(stop: AbortSignal): Promise<Delivery | undefined> {
    while (!stop.aborted) {
      const key = this.#keys[0];
      if (key === undefined) {
        if (this.#cursor === undefined) return undefined;
        await this.#scan(this.#cursor);
        continue;
      }
      const value = await this.#valueOf(key);
      this.#keys.shift();
      if (value === undefined) continue;
      const message = new Message({ value: { key: key.toString(), value: value.toString() } });
      return { batch: [message], settle() {} };
    }
    return undefined;
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  async #scan(cursor: string): Promise<void> {
    const pattern = this.#match === '' ? [] : ['MATCH', this.#match];
    const reply = await this.#client.send(['SCAN', cursor, ...pattern]);
    if (!Array.isArray(reply) || !Array.isArray(reply[1])) throw new Error('the answer to SCAN has no keys');
    const next = String(reply[0]);
    this.#keys = reply[1].filter(Buffer.isBuffer);
    this.#cursor = next === '0' ? undefined : next;
  }

  /** `undefined` if the key is gone by now, or is no text. */
  async #valueOf(key: Buffer): Promise<Buffer | undefined> {
    try {
      const reply = await this.#client.send(['GET', key]);
      return Buffer.isBuffer(reply) ? reply : undefined;
    } catch (error) {
      if (!(error instanceof RedisError)) throw error;
      this.#log.warn('failed to read key of redis', { key: key.toString(), error: reasonOf(error) });
      return undefined;
    }
  }
}

export const redisScan = componentOf('input', {
  name: 'redis_scan',
  connectionsCountedBy: 'itself',
  about:
    'Reads all keys of a database of Redis once, a message each: `{"key":"…","value":"…"}`. Keys that are no strings are logged and left out.',
  fields: {
    ...redisFields,
    auto_replay_nacks: bool('Whether messages that were not written are delivered again.').or(true),
    match: string('A pattern of keys, such as `user:*`; all keys if it is empty.').or(''),
  },
  open(fields, context) {
    const input = new ScanInput(new RedisClient(fields, context), fields.match, context);
    return fields.auto_replay_nacks ? new ReplayedInput(input, context.clock) : input;
  },
});
