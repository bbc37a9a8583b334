import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brokerLimits, type Damage, DamagedRange } from '@weir/broker';
import { type EventStage, type EventStageOptions, stageEvents } from '@weir/broker/testing';
import { systemClock } from '@weir/core';
import { until } from '@weir/core/testing';
import { eventTypeNames } from '@weir/events';
import { logFileKey } from '@weir/storage';
import { CpuShare } from './cpu-share.ts';
import type { EventTopic, RawPage } from './engine.ts';
import { AgentEventSource } from './event-source.ts';
import { RangeReader } from './range-reader.ts';
import { SidecarShelf } from './sidecar-shelf.ts';

const never = new AbortController().signal;
const day = 1_760_000_000_000;

async function stage(options?: EventStageOptions) {
  const staged = await stageEvents(options);
  const reported: [topicId: string, partition: number, damage: Damage][] = [];
  const source = new AgentEventSource({
    view: staged.view,
    ranges: new RangeReader(staged),
    sidecars: new SidecarShelf({ ...staged, clock: systemClock }),
    turns: new CpuShare({ clock: systemClock, share: () => 1 }),
    damage: {
      found(topicId, partition, { damage }) {
        reported.push([topicId, partition, damage]);
        return 'KAFKA_STORAGE_ERROR';
      },
    },
  });
  const read = async (topic: EventTopic, from: number, to: number, signal = never) => {
    const pages: RawPage[] = [];
    for await (const page of source.read(topic, from, to, signal)) pages.push(page);
    return pages;
  };
  return { ...staged, source, read, reported };
}

/** Writes batches of three events each; events are a second apart, batches an hour. */
async function fill({ addTopic, append }: EventStage, batchCount: number): Promise<string> {
  const topicId = await addTopic('acl_logs');
  for (let batch = 0; batch < batchCount; batch++) {
    const startMs = day + batch * 3_600_000;
    await append(
      'acl_logs',
      [0, 1, 2].map((second) => ({ timeMs: startMs + second * 1000, data: { batch, second } })),
    );
  }
  return topicId;
}

test('a large batch yields the same events', async () => {
  await using staged = await stage();
  await staged.addTopic('acl_logs');
  const text = 'x'.repeat(brokerLimits.inflatedPerTurnBytesMax / 2);
  const written = [0, 1, 2].map((second) => ({ timeMs: day + second * 1000, data: { text, second } }));
  await staged.append('acl_logs', written);
  const [topic] = await staged.source.topics(['acl_logs']);
  const events = eventsOf(await staged.read(topic!, 0, 3));
  assert.deepEqual(
    events.map(({ offset, timeMs, data }) => [offset, timeMs, data.text.length, data.second]),
    written.map(({ timeMs }, index) => [index, timeMs, text.length, index]),
  );
});

function eventsOf(pages: readonly RawPage[]) {
  return pages.flatMap(({ firstOffset, timesMs, valueStarts, valueEnds, bytes }) =>
    [...timesMs].map((timeMs, row) => {
      const text = Buffer.from(bytes.subarray(valueStarts[row], valueEnds[row])).toString();
      return { offset: firstOffset + row, timeMs, ...JSON.parse(text) };
    }),
  );
}

test('topics are those that exist, with their offsets', async () => {
  await using staged = await stage();
  assert.deepEqual(await staged.source.topics(eventTypeNames), []);
  const topicId = await fill(staged, 2);
  assert.deepEqual(await staged.source.topics(eventTypeNames), [
    { type: 'acl_logs', topicId, startOffset: 0, endOffset: 6 },
  ]);
});

test('the offset for a time is never beyond the first event of that time', async () => {
  await using staged = await stage();
  await fill(staged, 3);
  const [topic] = await staged.source.topics(['acl_logs']);
  const hour = 3_600_000;
  const cases: readonly [timeMs: number, offset: number][] = [
    [0, 0],
    [day, 0],
    [day + 2000, 0],
    [day + 2001, 3],
    [day + hour, 3],
    [day + 2 * hour + 1000, 6],
    [day + 3 * hour, 9],
  ];
  for (const [timeMs, offset] of cases)
    assert.equal(await staged.source.offsetAt(topic!, timeMs), offset, `${timeMs - day}`);
});

for (const [where, cacheBytesMax] of [
  ['the bucket', 0],
  ['memory', 64 << 20],
] as const) {
  test(`records come from ${where} as columns, in order`, async () => {
    await using staged = await stage({ cacheBytesMax });
    await fill(staged, 20);
    const { source, read, store } = staged;
    const [topic] = await source.topics(['acl_logs']);
    const pages = await read(topic!, 0, 60);
    const events = eventsOf(pages);
    assert.deepEqual(
      events.map(({ offset, timeMs, data }) => [offset, timeMs, data.batch, data.second]),
      Array.from({ length: 60 }, (_, offset) => {
        const [batch, second] = [Math.floor(offset / 3), offset % 3];
        return [offset, day + batch * 3_600_000 + second * 1000, batch, second];
      }),
    );
    assert.equal(pages.length, 1, 'small batches share a page');
    assert.ok(pages[0]!.storedBytes > 0);
    assert.equal(store.gets, cacheBytesMax === 0 ? 20 : 0);
  });
}

test('metadata shows what a range would read, without reading it', async () => {
  await using staged = await stage({ cacheBytesMax: 0 });
  await fill(staged, 10);
  const { source, read, store } = staged;
  const [topic] = await source.topics(['acl_logs']);
  const rangeBytes = await source.storedBytes(topic!, 3, 9);
  assert.equal(store.gets, 0);
  const pages = await read(topic!, 3, 9);
  assert.equal(
    rangeBytes,
    pages.reduce((sum, { storedBytes }) => sum + storedBytes, 0),
  );
  assert.equal(await source.storedBytes(topic!, 30, 30), 0);
});

test('a page does not share its memory', async () => {
  await using staged = await stage({ cacheBytesMax: 64 << 20 });
  await fill(staged, 1);
  const [topic] = await staged.source.topics(['acl_logs']);
  const [first] = await staged.read(topic!, 0, 3);
  const expected = eventsOf([first!]);
  for (const { buffer } of [first!.bytes, first!.timesMs, first!.valueStarts, first!.valueEnds])
    structuredClone(buffer, { transfer: [buffer] });
  assert.deepEqual(eventsOf(await staged.read(topic!, 0, 3)), expected);
});

test('only the batches of a range are read', async () => {
  await using staged = await stage();
  await fill(staged, 10);
  const { source, read, store } = staged;
  const [topic] = await source.topics(['acl_logs']);
  const events = eventsOf(await read(topic!, 4, 10));
  assert.deepEqual([events[0].offset, events.at(-1).offset], [3, 11], 'whole batches');
  assert.equal(store.gets, 3);
  assert.deepEqual(await read(topic!, 5, 5), []);
});

test('events that retention removed are left out', async () => {
  await using staged = await stage();
  const topicId = await fill(staged, 4);
  const { node, source, read, store, view } = staged;
  const [topic] = await source.topics(['acl_logs']);
  await node.deleteRecords([{ topicId, partition: 0, offset: 6 }]);
  await until(() => view.ends(topicId, 0)!.logStartOffset === 6);
  store.objects.clear();
  assert.deepEqual(await read(topic!, 0, 6), []);
  await assert.rejects(read(topic!, 6, 9), /object not found/);
});

test('events before a damaged batch are returned, no byte of it is, and the damage is reported', async () => {
  for (const [kind, damage] of [
    [
      'corrupt',
      (content: Buffer) => Buffer.from(content).fill(1, content.length >>> 1, content.length - 200),
    ],
    ['short', () => Buffer.alloc(0)],
    ['missing', () => undefined],
  ] as const) {
    await using staged = await stage();
    const topicId = await fill(staged, 3);
    const { source, store, reported } = staged;
    const [topic] = await source.topics(['acl_logs']);
    const second = [...store.objects.keys()][1]!;
    const damaged = damage(store.objects.get(second)!);
    if (damaged === undefined) store.objects.delete(second);
    else store.objects.set(second, damaged);
    await assert.rejects(staged.read(topic!, 0, 9), DamagedRange);
    assert.equal(eventsOf(await staged.read(topic!, 0, 3)).length, 3);
    assert.equal(eventsOf(await staged.read(topic!, 6, 9)).length, 3);
    assert.partialDeepStrictEqual(reported, [[topicId, 0, { kind, firstOffset: 3, nextOffset: 6 }]]);
  }
});

test('events of a file that was replaced since the view learned of it are read from the new one', async () => {
  await using staged = await stage();
  const topicId = await fill(staged, 4);
  const { clusterId, source, store, node, reported } = staged;
  const [topic] = await source.topics(['acl_logs']);
  const keys = [...store.objects.keys()];
  const query = { topicId, partition: 0, offset: 0, bytesMax: Number.MAX_SAFE_INTEGER };
  const { pointers } = (await node.findBatches([query]))[0]!;
  // One file with the batches of the two in the middle, and their offsets.
  const newId = '018bcfe5680010000123456789abcdef';
  const batches = [1, 2].map((row) => {
    const start = pointers.byteStart[row]!;
    const bytes = Buffer.from(
      store.objects.get(keys[row]!)!.subarray(start, start + pointers.byteLength[row]!),
    );
    bytes.writeBigInt64BE(BigInt(pointers.baseOffset[row]!), 0);
    return bytes;
  });
  store.objects.set(logFileKey(clusterId, newId), Buffer.concat(batches));
  store.objects.delete(keys[1]!);
  store.objects.delete(keys[2]!);
  const find = node.findBatches.bind(node);
  node.findBatches = async (queries) => {
    const answers = await find(queries);
    return answers.map((answer) => ({
      ...answer,
      pointers: {
        fileId: [pointers.fileId[0]!, newId, pointers.fileId[3]!],
        byteStart: Float64Array.of(pointers.byteStart[0]!, 0, pointers.byteStart[3]!),
        byteLength: Float64Array.of(
          pointers.byteLength[0]!,
          batches[0]!.length + batches[1]!.length,
          pointers.byteLength[3]!,
        ),
        baseOffset: Float64Array.of(0, 3, 9),
        nextOffset: Float64Array.of(3, 9, 12),
      },
    }));
  };
  const events = eventsOf(await staged.read(topic!, 0, 12));
  assert.equal(events.length, 12);
  assert.deepEqual(
    (await staged.read(topic!, 4, 8)).map(({ firstOffset, timesMs }) => [firstOffset, timesMs.length]),
    [[3, 6]],
  );
  assert.deepEqual(reported, []);
});

test('reading ends with the reason of the signal', async () => {
  await using staged = await stage();
  await fill(staged, 3);
  const { source, read, store } = staged;
  const [topic] = await source.topics(['acl_logs']);
  const stop = new AbortController();
  store.beforeGet = () => stop.abort(new Error('enough'));
  await assert.rejects(read(topic!, 0, 9, stop.signal), /enough/);
});

test('a page is cut when it is large enough', async () => {
  await using staged = await stage();
  const { addTopic, append, source, read } = staged;
  await addTopic('agent_logs');
  const message = 'x'.repeat(200_000);
  for (let batch = 0; batch < 12; batch++)
    await append('agent_logs', [{ timeMs: day + batch, data: { message } }]);
  const [topic] = await source.topics(['agent_logs']);
  const pages = await read(topic!, 0, 12);
  assert.deepEqual(
    pages.map(({ firstOffset, timesMs }) => [firstOffset, timesMs.length]),
    [
      [0, 6],
      [6, 6],
    ],
  );
});
