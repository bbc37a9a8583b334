import { componentOf } from '../component/component-spec.ts';
import { bool, durationMs, float, int, map, oneOf, string } from '../component/field-types.ts';
import { pipelineLimits } from '../limits.ts';
import { CacheMemory } from './cache-memory.ts';
import { cacheOf } from './cache-of.ts';
import { AdaptiveReplacement, LeastRecentlyUsed, TwoQueues } from './eviction.ts';
import { LimitedEntries } from './limited-entries.ts';

const cap = int('The most entries.').check((count) =>
  count < 1 || count > pipelineLimits.cacheEntriesMax
    ? `has to be from 1 to ${pipelineLimits.cacheEntriesMax}`
    : undefined,
);
const initValues = map('Values that are there from the beginning.', string('The value.')).or({});
const optimistic = bool('Whether threads do not wait for each other.')
  .or(false)
  .advanced()
  .withoutEffect('one thread runs a pipeline');
const ratio = (about: string, value: number) =>
  float(about)
    .check((part) => (part < 0 || part > 1 ? 'has to be from 0 to 1' : undefined))
    .or(value)
    .advanced();

function filled(entries: LimitedEntries, values: ReadonlyMap<string, string>) {
  for (const [key, value] of values) entries.set(key, Buffer.from(value));
  return cacheOf(entries, () => entries.clear());
}

const lru = componentOf('cache', {
  name: 'lru',
  about: 'Keeps a number of values in memory; the one goes that was not used for longest.',
  fields: {
    cap: cap.or(1_000),
    init_values: initValues,
    algorithm: oneOf('Which value goes: `two_queues` and `arc` also look at how often values were used.', [
      'standard',
      'arc',
      'two_queues',
    ])
      .or('standard')
      .advanced(),
    two_queues_recent_ratio: ratio('The part of `two_queues` for values that were used once.', 0.25),
    two_queues_ghost_ratio: ratio('How many keys `two_queues` remembers that went, as a part of `cap`.', 0.5),
    optimistic,
  },
  open(fields, { resources }) {
    const { cap: capacity, algorithm, init_values: values } = fields;
    const ratios = { recent: fields.two_queues_recent_ratio, ghost: fields.two_queues_ghost_ratio };
    const entries = new LimitedEntries((evict) => {
      if (algorithm === 'two_queues') return new TwoQueues(capacity, ratios, evict);
      if (algorithm === 'arc') return new AdaptiveReplacement(capacity, evict);
      return new LeastRecentlyUsed(capacity, evict);
    }, CacheMemory.of(resources));
    return filled(entries, values);
  },
});

const positive = (ms: number) => (ms <= 0 ? 'has to be more than 0s' : undefined);

const ttlru = componentOf('cache', {
  name: 'ttlru',
  about: 'Keeps a number of values in memory, for a time; the one goes that was not used for longest.',
  fields: {
    cap: cap.or(1_024),
    default_ttl: durationMs('How long a value is kept.').check(positive).or('5m0s'),
    ttl: durationMs('How long a value is kept.').check(positive).optional().deprecated('use default_ttl'),
    init_values: initValues,
    optimistic,
  },
  open({ cap: capacity, default_ttl: defaultTtlMs, ttl, init_values: values }, { resources, clock }) {
    const ttlMs = ttl ?? defaultTtlMs ?? Number.POSITIVE_INFINITY;
    const entries = new LimitedEntries(
      (evict) => new LeastRecentlyUsed(capacity, evict),
      CacheMemory.of(resources),
      { nowMs: () => clock.monotonicMs(), ttlMs },
    );
    return filled(entries, values);
  },
});

export const limitedCaches = [lru, ttlru];
