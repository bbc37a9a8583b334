/**
 * Holds the query engine to the oracle over random events, cuts, filters and requests:
 *
 *     node packages/events/testing/hold-to-oracle.ts --runs 10000 --seed 7
 *
 * Without a seed it takes a new one. What fails is printed with the seed that finds it again.
 */

import assert from 'node:assert/strict';
import { parseArgs } from 'node:util';
import { systemClock, systemRandom } from '@weir/core';
import * as fc from 'fast-check';
import { QueryCache } from '../src/query/cache.ts';
import type { Timeline } from '../src/query/request.ts';
import { runQuery } from '../src/query/run-query.ts';
import type { TimeWindow } from '../src/time-range.ts';
import { anyQueryCase, type QueryCase } from './any-query.ts';
import { createMemoryEvents } from './memory-events.ts';
import { naiveFields, naiveSearch } from './naive.ts';

export async function holdToOracle(parameters: fc.Parameters<[QueryCase]>): Promise<void> {
  await fc.assert(fc.asyncProperty(anyQueryCase, holdCase), parameters);
}

async function holdCase({ topics, filter, request, ...cuts }: QueryCase): Promise<void> {
  const { latenessMsMax, stripeEvents, blockEvents, queriesFields } = cuts;
  const source = await createMemoryEvents({ topics, latenessMsMax, stripeEvents });
  const cache = new QueryCache();
  const options = { clock: systemClock, signal: new AbortController().signal, cache, blockEvents };
  const { types, window } = request;

  if (queriesFields) {
    const fields = { kind: 'fields', types, window, filter } as const;
    const { stats, partial, hasNoData, ...answer } = await runQuery(fields, source, options);
    assert.deepEqual(answer, await naiveFields(fields, source));
    return;
  }
  const estimated = await runQuery({ kind: 'estimate', types, window, filter }, source, options);
  assert.equal(source.calls.pagesRead, 0, 'an estimate reads no record');
  // The second run has some results cached, of the same window or of another.
  for (const shiftMs of [0, cuts.shiftMs]) {
    const search = { kind: 'search', filter, ...request, window: shifted(window, shiftMs) } as const;
    const expected = await naiveSearch(search, source);
    const { stats, partial, hasNoData, ...answer } = await runQuery(search, source, options);
    assert.deepEqual(rounded(answer), rounded(expected));
    assert.equal(partial, undefined);
    // Without a cache, on the first run: the scan covers at most what was estimated.
    if (shiftMs === 0 && estimated.kind === 'estimate') assert.ok(stats.eventsScanned <= estimated.events);
    if (stats.isExact) assert.equal(stats.eventsMatched > expected.rows.length, expected.hasMore);
  }
}

function shifted({ startMs, endMs }: TimeWindow, shiftMs: number): TimeWindow {
  return { startMs: startMs + shiftMs, endMs: endMs + shiftMs };
}

/** Sums depend slightly on the order of their parts. */
function rounded<Answer extends object>(answer: Answer): Answer {
  const { timeline } = answer as { timeline?: Timeline };
  if (timeline === undefined) return answer;
  const round = (value: number | null) => (value === null ? null : Number(value.toPrecision(9)) + 0);
  const series = timeline.series.map((one) => ({
    ...one,
    total: round(one.total),
    values: one.values.map(round),
  }));
  return { ...answer, timeline: { ...timeline, series } };
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { runs: { type: 'string', default: '10000' }, seed: { type: 'string' } },
  });
  const seed = values.seed === undefined ? systemRandom.below(2 ** 31) : Number(values.seed);
  const numRuns = Number(values.runs);
  await holdToOracle({ numRuns, seed });
  process.stdout.write(`${numRuns} cases of seed ${seed}: the engine answers what the oracle answers\n`);
}
