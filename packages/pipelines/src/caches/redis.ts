import { componentOf } from '../component/component-spec.ts';
import { durationMs, string } from '../component/field-types.ts';
import { retried, retries } from '../component/retries.ts';
import { RedisClient, redisFields } from '../redis/redis-client.ts';
import type { Argument } from '../redis/redis-connection.ts';

export const redisCache = componentOf('cache', {
  name: 'redis',
  about: 'Keeps items in Redis.',
  fields: {
    ...redisFields,
    prefix: string('What keys begin with.').optional(),
    default_ttl: durationMs('How long items are kept that say nothing about it; without it, for ever.')
      .optional()
      .advanced(),
    retries: retries({ initial: '500ms', max: '1s', elapsed: '5s' }),
  },
  open({ prefix = '', default_ttl: usualTtlMs, ...fields }, context) {
    const client = new RedisClient(fields, context);
    const send = (command: readonly Argument[]) =>
      retried(fields.retries, context, () => client.send(command));
    const expiry = (ttlMs: number | undefined): Argument[] => {
      const ms = ttlMs ?? usualTtlMs ?? 0;
      return ms > 0 ? ['PX', Math.max(1, Math.ceil(ms))] : [];
    };
    return {
      async get(key) {
        const reply = await send(['GET', prefix + key]);
        return Buffer.isBuffer(reply) ? reply : undefined;
      },
      async set(key, value, ttlMs) {
        await send(['SET', prefix + key, value, ...expiry(ttlMs)]);
      },
      add: async (key, value, ttlMs) =>
        (await send(['SET', prefix + key, value, ...expiry(ttlMs), 'NX'])) !== null,
      async delete(key) {
        await send(['DEL', prefix + key]);
      },
      close: () => client.close(),
    };
  },
});
