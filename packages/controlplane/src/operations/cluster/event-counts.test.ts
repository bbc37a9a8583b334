import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClusterPort } from '@weir/cluster';
import type { SearchRequest } from '@weir/events';
import { countEvents } from './event-counts.ts';

const window = { startMs: 0, endMs: 60_000 };
const options = { queryId: 'q', stop: new AbortController().signal, enoughAbove: 10 };

/** A leader whose agents answer each query in the same way. */
function portOf(answer: object, isOn = true) {
  const asked: SearchRequest[] = [];
  const port = {
    clusterConfigs: async () => ({ 'service.events.enabled': String(isOn) }),
    runQuery: async ({ request }: { request: Uint8Array }) => {
      asked.push(JSON.parse(Buffer.from(request).toString()) as SearchRequest);
      return { kind: 'answered', answer: Buffer.from(JSON.stringify(answer)) };
    },
  } as unknown as ClusterPort;
  return { port, asked };
}

const timeline = (...totals: readonly (number | null)[]) => ({
  timeline: { series: totals.map((total) => ({ total })) },
});

test('the types and the filter of a saved search are counted, and nothing else of it', async () => {
  const { port, asked } = portOf(timeline(7));
  const search = {
    types: 'acl_logs,of_another_release',
    filter: 'data.operation == "WRITE"',
    relative: '24h',
    group_by: 'type',
  };
  assert.equal(await countEvents(port, search, window, options), 7);
  const [request] = asked;
  assert.deepEqual(
    [request!.types, request!.window, request!.limit, request!.timeline],
    [['acl_logs'], window, 0, { aggregation: 'count' }],
  );
  assert.equal(request!.filter.stages.length, 1);
});

test('what was not counted to the end is an error, unless it is enough', async () => {
  // biome-ignore format: a table
  const cases: [answer: object, isOn: boolean, outcome: number | RegExp][] = [
    [timeline(null),                                true,  0],
    [timeline(),                                    true,  0],
    [{ ...timeline(10), partial: 'time' },          true,  /narrow the saved search/],
    [{ ...timeline(11), partial: 'bytes' },         true,  11],
    [timeline(11),                                  false, /records no events/],
  ];
  for (const [answer, isOn, outcome] of cases) {
    const count = countEvents(portOf(answer, isOn).port, {}, window, options);
    if (typeof outcome === 'number') assert.equal(await count, outcome);
    else await assert.rejects(count, outcome);
  }
  await assert.rejects(countEvents(portOf({}).port, { filter: '((' }, window, options), /column/);
});
