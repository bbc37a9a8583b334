import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClusterChange, Markers } from '@weir/cluster';
import fc from 'fast-check';
import { decodeFrame, encodeFrame, replyLimits } from './frame.ts';
import { packChanges } from './pack-changes.ts';
import type { PackedChanges } from './packed-changes.ts';
import { unpackChanges } from './unpack-changes.ts';

const id = fc.constantFrom('one', 'two', 'three');
const offset = fc.nat();

const pointers = fc.array(fc.tuple(id, offset, offset, offset, offset), { maxLength: 3 }).map((ranges) => ({
  fileId: ranges.map(([file]) => file),
  byteStart: Float64Array.from(ranges, (range) => range[1]),
  byteLength: Float64Array.from(ranges, (range) => range[2]),
  baseOffset: Float64Array.from(ranges, (range) => range[3]),
  nextOffset: Float64Array.from(ranges, (range) => range[4]),
}));

/** A plain object, as JSON gives it. */
function plain<T extends object>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> {
  return fc.record(model).map((made) => ({ ...made }) as T);
}

/** Every other row. */
function markersOf(rowCount: number): Markers {
  const rows = Array.from({ length: Math.ceil(rowCount / 2) }, (_, index) => 2 * index);
  return {
    row: Uint32Array.from(rows),
    isCommit: Uint8Array.from(rows, (row) => (row % 4 === 0 ? 1 : 0)),
    producerId: Float64Array.from(rows, (row) => 2 ** 40 + row),
    producerEpoch: Int16Array.from(rows, (row) => 32_767 - row),
    timestampMs: Float64Array.from(rows, (row) => 1_700_000_000_000 + row),
  };
}

const change: fc.Arbitrary<ClusterChange> = fc.oneof(
  plain({
    kind: fc.constant('topic' as const),
    topic: plain({
      topicId: id,
      name: id,
      partitionCount: fc.nat(),
      configs: fc.dictionary(id, id, { noNullPrototype: true }),
      createdMs: fc.nat(),
    }),
  }),
  plain({ kind: fc.constant('topicDeleted' as const), topicId: id, name: id }),
  fc.array(fc.tuple(offset, offset, offset), { maxLength: 3 }).map((rows) => ({
    kind: 'topicRestored' as const,
    topic: { topicId: 'one', name: 'one', partitionCount: rows.length, configs: {}, createdMs: 1 },
    logStartOffset: Float64Array.from(rows, ([start]) => start),
    nextOffset: Float64Array.from(rows, ([, next]) => next),
    lastStableOffset: Float64Array.from(rows, ([, , stable]) => stable),
  })),
  fc.array(fc.tuple(offset, offset), { maxLength: 3 }).map((rows) => ({
    kind: 'replaced' as const,
    topicId: 'one',
    partition: Uint32Array.from(rows, ([number]) => number),
    belowOffset: Float64Array.from(rows, ([, below]) => below),
  })),
  plain({ kind: fc.constant('agents' as const), agents: fc.constant([]) }),
  plain({ kind: fc.constant('registry' as const), revision: fc.nat() }),
  plain({
    kind: fc.constant('appended' as const),
    topicId: id,
    partition: offset,
    pointers,
    lastStableOffset: offset,
  }),
  fc
    .tuple(pointers, fc.array(fc.tuple(offset, offset, offset), { minLength: 1, maxLength: 3 }))
    .map(([ranges, rows]) => ({
      kind: 'appended' as const,
      topicId: 'one',
      partition: 0,
      pointers: ranges.fileId.length === 0 ? ranges : { ...ranges, markers: markersOf(ranges.fileId.length) },
      lastStableOffset: 7,
      aborted: {
        producerId: Float64Array.from(rows, ([producerId]) => producerId),
        firstOffset: Float64Array.from(rows, ([, first]) => first),
        lastOffset: Float64Array.from(rows, ([, , last]) => last),
      },
    })),
  plain({
    kind: fc.constant('clusterConfigs' as const),
    configs: fc.dictionary(id, id, { noNullPrototype: true }),
  }),
  plain({
    kind: fc.constant('record' as const),
    namespace: id,
    key: id,
    value: fc.option(fc.uint8Array({ maxLength: 3 })),
  }),
  fc.tuple(id, fc.array(fc.tuple(offset, offset), { maxLength: 3 })).map(([topicId, rows]) => ({
    kind: 'logStarts' as const,
    topicId,
    partition: Uint32Array.from(rows, ([partition]) => partition),
    logStartOffset: Float64Array.from(rows, ([, start]) => start),
  })),
);

function travelled(packed: PackedChanges): unknown {
  return decodeFrame(encodeFrame('changes', 1, packed), replyLimits).body;
}

test('changes of all kinds are decoded in order', () => {
  fc.assert(
    fc.property(fc.array(change), (changes) => {
      assert.deepStrictEqual(unpackChanges(travelled(packChanges(changes))), changes);
    }),
  );
});

test('a commit of a thousand partitions takes few bytes per partition', () => {
  const changes = Array.from(
    { length: 1000 },
    (_, partition): ClusterChange => ({
      kind: 'appended',
      topicId: '0123456789abcdef0123456789abcdef',
      partition,
      pointers: {
        fileId: ['fedcba9876543210fedcba9876543210'],
        byteStart: Float64Array.of(partition * 100),
        byteLength: Float64Array.of(100),
        baseOffset: Float64Array.of(partition),
        nextOffset: Float64Array.of(partition + 1),
      },
      lastStableOffset: partition + 1,
    }),
  );
  assert.ok(encodeFrame('changes', 1, packChanges(changes)).length < 50 * changes.length);
});

test('inconsistent packed changes are refused', () => {
  const good = packChanges([
    { kind: 'topicDeleted', topicId: 'a', name: 'b' },
    {
      kind: 'appended',
      topicId: 'a',
      partition: 0,
      pointers: {
        fileId: ['f'],
        byteStart: Float64Array.of(0),
        byteLength: Float64Array.of(1),
        baseOffset: Float64Array.of(0),
        nextOffset: Float64Array.of(1),
      },
      lastStableOffset: 1,
    },
  ]);
  assert.equal(unpackChanges(good).length, 2);
  const cases: [name: string, wrong: object, problem: RegExp][] = [
    ['kind', { kind: Uint8Array.of(10) }, /unknown change kind 10/],
    ['a change too many', { kind: Uint8Array.of(1, 1, 3) }, /missing change/],
    ['an appended too many', { kind: Uint8Array.of(1, 3, 3) }, /missing appended change/],
    ['a topic', { topic: Uint32Array.of(1) }, /missing appended change/],
    ['a file', { file: Uint32Array.of(1) }, /missing change/],
    ['a range too many', { rangeCount: Uint32Array.of(2) }, /missing appended change/],
    ['a short column', { partition: new Uint32Array(0) }, /partition: 0 rows, but topic has 1/],
    ['no column', { byteStart: [0] }, /byteStart: not a column of Float64Array/],
    [
      'markers of nothing',
      { markers: { ...markersOf(1), producerId: new Float64Array(0) } },
      /markers.producerId: 0 rows, but row has 1/,
    ],
    ['aborted that is no list', { aborted: 1 }, /aborted: not an object/],
    [
      'unstable without an offset',
      { unstable: { change: Uint32Array.of(0) } },
      /lastStableOffset: not a column/,
    ],
    ['no list', { topicIds: 'a' }, /topicIds: not a list/],
    [
      'no record',
      { records: [{ namespace: 'a', key: 'b', value: 'c' }] },
      /value: not a column of Uint8Array/,
    ],
    ['no configs', { clusterConfigs: [{ a: 1 }] }, /clusterConfigs.a: not a text/],
    ['a restored topic too many', { kind: Uint8Array.of(1, 7) }, /missing change/],
    [
      'a restored topic without ends',
      { restored: [{ topic: {}, logStartOffset: Float64Array.of(1) }] },
      /nextOffset: not a column/,
    ],
    [
      'log starts of nothing',
      {
        logStarts: [{ topicId: 'a', partition: new Uint32Array(0), logStartOffset: Float64Array.of(1) }],
      },
      /logStartOffset: 1 rows, but partition has 0/,
    ],
  ];
  for (const [name, wrong, problem] of cases) {
    assert.throws(() => unpackChanges({ ...good, ...wrong }), { name: 'FrameError', message: problem }, name);
  }
  assert.throws(() => unpackChanges(undefined), { name: 'FrameError' });
});
