import { componentOf } from '../component/component-spec.ts';
import { durationMs, int, string } from '../component/field-types.ts';
import { RedisClient, redisFields } from '../redis/redis-client.ts';

/** Counts in a key that expires with its interval; returns how long it is until then if the count is exceeded. */
const script = `
local taken = redis.call('INCR', KEYS[1])
local leftMs = redis.call('PTTL', KEYS[1])
if leftMs < 0 then
  leftMs = tonumber(ARGV[2])
  redis.call('PEXPIRE', KEYS[1], leftMs)
end
if taken <= tonumber(ARGV[1]) then return 0 end
return leftMs`;

export const redisRateLimit = componentOf('rate_limit', {
  name: 'redis',
  about: 'A limit that all pipelines with the same key share, by a counter in Redis.',
  fields: {
    ...redisFields,
    count: int('How many are allowed in an interval.')
      .or(1000)
      .check((count) => (count <= 0 ? 'has to be larger than zero' : undefined)),
    interval: durationMs('The interval.').or('1s'),
    key: string('The key of the counter.'),
  },
  open(fields, context) {
    const client = new RedisClient(fields, context);
    const intervalMs = Math.max(1, Math.round(fields.interval ?? 1000));
    return {
      async take() {
        const waitMs = await client.send(['EVAL', script, 1, fields.key, fields.count, intervalMs]);
        return typeof waitMs === 'number' && waitMs > 0 ? waitMs : 0;
      },
      close: () => client.close(),
    };
  },
});
