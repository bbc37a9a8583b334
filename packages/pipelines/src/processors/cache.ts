import { componentOf } from '../component/component-spec.ts';
import { failedBy, reasonOf } from '../component/failures.ts';
import { interpolated, oneOf, resource } from '../component/field-types.ts';
import { parseGoDurationMs } from '../component/go-duration.ts';
import type { Cache, CacheNow } from '../component/instances.ts';
import { after, inOrder, type Later } from '../component/later.ts';
import type { Message } from '../component/message.ts';

interface Call {
  readonly message: Message;
  readonly key: string;
  readonly value: Buffer;
  readonly ttlMs: number | undefined;
}

/** Calls of a cache, at once if it is in memory. */
type Caller = { readonly [Name in 'get' | 'set' | 'add' | 'delete' | 'has']: CacheCall<Name> };
type CacheCall<Name extends keyof CacheNow> = (
  ...args: Parameters<CacheNow[Name]>
) => Later<ReturnType<CacheNow[Name]>>;

export function callerOf(cache: Cache): Caller {
  return (
    cache.now ?? {
      get: bound(cache, 'get'),
      set: bound(cache, 'set'),
      add: bound(cache, 'add'),
      delete: bound(cache, 'delete'),
      has: async (key) => (await cache.get(key)) !== undefined,
    }
  );
}

function bound<Name extends 'get' | 'set' | 'add' | 'delete'>(cache: Cache, name: Name): Cache[Name] {
  return cache[name].bind(cache) as Cache[Name];
}

const operators = {
  set: (cache: Caller, { message, key, value, ttlMs }: Call) =>
    after(cache.set(key, value, ttlMs), () => message),
  add: (cache: Caller, { message, key, value, ttlMs }: Call) =>
    after(cache.add(key, value, ttlMs), (isNew) => {
      if (!isNew) throw new Error(`key already exists: ${key}`);
      return message;
    }),
  get: (cache: Caller, { message, key }: Call) =>
    after(cache.get(key), (found) => {
      if (found === undefined) throw new Error(`operator failed for key '${key}': key does not exist`);
      return message.withContent(found);
    }),
  exists: (cache: Caller, { message, key }: Call) =>
    after(cache.has(key), (isThere) => message.withValue(isThere)),
  delete: (cache: Caller, { message, key }: Call) => after(cache.delete(key), () => message),
} as const;

/** How long an entry is kept; the cache decides if the text is empty. */
export function ttlMsOf(text: string): number | undefined {
  if (text === '') return undefined;
  const ttlMs = parseGoDurationMs(text);
  if (ttlMs === undefined) throw new Error(`ttl has to be a duration such as 5m, not ${text}`);
  return ttlMs;
}

export const cacheProcessor = componentOf('processor', {
  name: 'cache',
  about: 'Reads or changes a cache for each message.',
  fields: {
    resource: resource('cache', 'The label of the cache.'),
    operator: oneOf('What is done; `get` makes the value the content, `exists` makes it true or false.', [
      'set',
      'add',
      'get',
      'exists',
      'delete',
    ]),
    key: interpolated('The key.'),
    value: interpolated('The value, for `set` and `add`.').optional(),
    ttl: interpolated('How long the value is kept, such as `60s`; the cache decides if absent.')
      .optional()
      .advanced(),
  },
  open({ resource: label, operator, key, value, ttl }, context) {
    const { mappingPorts, resources } = context;
    return {
      process(batch) {
        const cache = callerOf(resources.get('cache', label));
        const fail = (message: Message, error: unknown) =>
          failedBy(message, reasonOf(error), context, 'cache');
        // One after the other: a message may ask for what the one before it has set.
        const changed = inOrder(batch, (message, index): Later<Message> => {
          try {
            const result = operators[operator](cache, {
              message,
              key: key.text(batch, index, mappingPorts),
              value: Buffer.from(value?.text(batch, index, mappingPorts) ?? ''),
              ttlMs: ttlMsOf(ttl?.text(batch, index, mappingPorts) ?? ''),
            });
            return result instanceof Promise
              ? result.catch((error: unknown) => fail(message, error))
              : result;
          } catch (error) {
            return fail(message, error);
          }
        });
        return after(changed, (messages) => [messages]);
      },
    };
  },
});
