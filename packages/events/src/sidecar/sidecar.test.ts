import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { type MemoryRecord, pageOf } from '../../testing/memory-events.ts';
import type { SidecarRef } from '../event-source.ts';
import { eventLimits } from '../limits.ts';
import { buildBloom, hashesOf, mayContain } from './bloom.ts';
import { buildSidecar } from './build-sidecar.ts';
import type { Column, Footer } from './format.ts';
import { readFooter } from './read-footer.ts';
import { decodeTimes, encodeTimes } from './times.ts';

const { signal } = new AbortController();

interface Built {
  readonly ref: SidecarRef;
  readonly file: Buffer;
}

async function build(records: readonly MemoryRecord[], stripeEvents = 10): Promise<Built> {
  const pieces: Uint8Array[] = [];
  async function* pages() {
    for (let from = 0; from < records.length; from += 7) yield pageOf(from, records.slice(from, from + 7));
  }
  const built = await buildSidecar(pages(), {
    fromOffset: 0,
    toOffset: records.length,
    signal,
    stripeEvents,
    write: (piece) => void pieces.push(piece),
  });
  return { ref: { id: 'sidecar', ...built! }, file: Buffer.concat(pieces) };
}

async function footerOf({ ref, file }: Built): Promise<Footer> {
  const source = {
    readSidecar: async (_: SidecarRef, ranges: readonly { start: number; end: number }[]) =>
      ranges.map(({ start, end }) => Uint8Array.from(file.subarray(start, end))),
  };
  return (await readFooter(source, ref, signal)).footer;
}

function recordsOf(events: readonly unknown[]): MemoryRecord[] {
  return events.map((event, n) => ({ timeMs: 1000 + n, text: JSON.stringify(event) }));
}

function columnOf({ stripes }: Footer, ...path: string[]): Column | undefined {
  return stripes[0]!.columns.find((column) => JSON.stringify(column.path) === JSON.stringify(path));
}

describe('columns', () => {
  for (const { what, values, kind, cells, missing } of [
    { what: 'few texts', values: ['a', 'b', 'a'], kind: 'codes', cells: [[], ['a'], ['b']], missing: 0 },
    {
      what: 'texts and numbers',
      values: ['5', 5, true],
      kind: 'codes',
      cells: [[], ['5'], [5], [true]],
      missing: 0,
    },
    { what: 'null is missing', values: [null, 1, null], kind: 'codes', cells: [[], [1]], missing: 2 },
    { what: 'arrays', values: [[1, 2], [1], 1, []], kind: 'codes', cells: [[], [1, 2], [1]], missing: 1 },
    { what: 'objects', values: [{ a: 1 }, {}], kind: 'codes', cells: [[], [{}]], missing: 0 },
    { what: 'arrays in arrays', values: [[[1]], [null]], kind: 'codes', cells: [[], [{}]], missing: 1 },
  ]) {
    test(what, async () => {
      const footer = await footerOf(await build(recordsOf(values.map((value) => ({ field: value })))));
      const column = columnOf(footer, 'field')!;
      assert.deepEqual(
        [column.kind, column.kind === 'codes' && column.cells, column.missing],
        [kind, cells, missing],
      );
    });
  }

  const many = Array.from({ length: eventLimits.sidecarDictionaryMax + 100 }, (_, n) => n);
  for (const { what, path, events, kind, hasBloom } of [
    { what: 'many numbers', path: ['x'], events: many.map((x) => ({ x })), kind: 'numbers', hasBloom: false },
    {
      what: 'many numbers and a text',
      path: ['x'],
      events: [...many, 'a'].map((x) => ({ x })),
      kind: 'opaque',
      hasBloom: false,
    },
    {
      what: 'many texts',
      path: ['x'],
      events: many.map((x) => ({ x: `${x}` })),
      kind: 'opaque',
      hasBloom: false,
    },
    {
      what: 'many ids',
      path: ['id'],
      events: many.map((id) => ({ id: `${id}` })),
      kind: 'opaque',
      hasBloom: true,
    },
    {
      what: 'long texts',
      path: ['x'],
      events: many.slice(0, 99).map((x) => ({ x: `${x}`.repeat(5000) })),
      kind: 'opaque',
      hasBloom: false,
    },
  ] as const) {
    test(what, async () => {
      const footer = await footerOf(await build(recordsOf(events), events.length));
      const column = columnOf(footer, ...path)!;
      assert.equal(column.kind, kind);
      assert.equal(column.kind === 'opaque' && column.bloom !== undefined, hasBloom);
    });
  }

  test('stay within the limit, and the stripe is marked as incomplete', async () => {
    const wide = Object.fromEntries(
      Array.from({ length: eventLimits.sidecarColumnsMax + 1 }, (_, n) => [`f${n}`, n]),
    );
    const footer = await footerOf(await build(recordsOf([wide])));
    assert.equal(footer.stripes[0]!.columns.length, eventLimits.sidecarColumnsMax);
    assert.equal(footer.stripes[0]!.isComplete, false);
  });

  test('mark records that are not events', async () => {
    const footer = await footerOf(
      await build([
        { timeMs: 1, text: '{"a":1}' },
        { timeMs: 2, text: 'junk' },
      ]),
    );
    assert.notEqual(footer.stripes[0]!.readable, undefined);
    assert.equal(columnOf(footer, 'a')!.missing, 1);
  });
});

describe('the file', () => {
  test('reports the range that it covers', async () => {
    const { ref, file } = await build(recordsOf(Array.from({ length: 25 }, (_, n) => ({ n }))));
    assert.deepEqual(ref, {
      id: 'sidecar',
      fromOffset: 0,
      toOffset: 25,
      minTimeMs: 1000,
      maxTimeMs: 1024,
      byteLength: file.length,
    });
    const { stripes } = await footerOf({ ref, file });
    assert.deepEqual(
      stripes.map(({ fromOffset, rows }) => [fromOffset, rows]),
      [
        [0, 10],
        [10, 10],
        [20, 5],
      ],
    );
  });

  test('is refused if it covers other events', async () => {
    const { ref, file } = await build(recordsOf([{ a: 1 }]));
    await assert.rejects(footerOf({ ref: { ...ref, toOffset: 2 }, file }), /covers other events/);
  });

  test('has no bloom filter for arrays of any length', async () => {
    const id = Array.from({ length: 100 }, (_, n) => `id-${n}`.repeat(1000));
    const column = columnOf(await footerOf(await build(recordsOf([{ id }]))), 'id')!;
    assert.equal(column.kind, 'opaque');
    assert.equal(column.kind === 'opaque' && column.bloom, undefined);
  });

  test('is not written without records', async () => {
    async function* none() {}
    const options = { fromOffset: 0, toOffset: 10, signal, write: () => assert.fail('nothing to write') };
    assert.equal(await buildSidecar(none(), options), undefined);
  });

  test('has no gaps', async () => {
    async function* pages() {
      yield pageOf(0, recordsOf([{}]));
      yield pageOf(2, recordsOf([{}]));
    }
    const options = { fromOffset: 0, toOffset: 10, signal, write() {} };
    await assert.rejects(buildSidecar(pages(), options), /1 to 2 are missing/);
  });

  test('ends with the signal', async () => {
    async function* pages() {
      yield pageOf(0, recordsOf([{}]));
    }
    const options = {
      fromOffset: 0,
      toOffset: 10,
      signal: AbortSignal.abort(new Error('enough')),
      write() {},
    };
    await assert.rejects(buildSidecar(pages(), options), /enough/);
  });

  for (const { what, spoil, problem } of [
    { what: 'too short', spoil: (file: Buffer) => file.subarray(0, 20), problem: /too short/ },
    { what: 'no sidecar', spoil: (file: Buffer) => changed(file, file.length - 1), problem: /not a sidecar/ },
    {
      what: 'of another version',
      spoil: (file: Buffer) => changed(file, file.length - 8),
      problem: /version is/,
    },
    {
      what: 'with a broken footer',
      spoil: (file: Buffer) => changed(file, file.length - 25),
      problem: /footer is broken/,
    },
    {
      what: 'with a footer that is too long',
      spoil: (file: Buffer) => changed(file, file.length - 17),
      problem: /too long/,
    },
  ]) {
    test(`is refused if it is ${what}`, async () => {
      const { ref, file } = await build(recordsOf([{ a: 1 }]));
      const spoiled = spoil(file);
      await assert.rejects(footerOf({ ref: { ...ref, byteLength: spoiled.length }, file: spoiled }), problem);
    });
  }
});

function changed(file: Buffer, place: number): Buffer {
  const copy = Buffer.from(file);
  copy[place]! ^= 0x7f;
  return copy;
}

test('a bloom filter contains its values, with few false positives', () => {
  const values = Array.from({ length: 5000 }, (_, n) => (n % 2 === 0 ? `id-${n}` : n));
  const bits = buildBloom(Uint32Array.from(values.flatMap((value) => [...hashesOf(value)])));
  assert.ok(values.every((value) => mayContain(bits, value)));
  const strangers = Array.from({ length: 5000 }, (_, n) => `other-${n}`);
  const wrong = strangers.filter((value) => mayContain(bits, value)).length;
  assert.ok(wrong < 100, `${wrong} of 5000 strangers were let in`);
});

test('times survive encoding', () => {
  const anyTime = fc.oneof(
    fc.integer({ min: 0, max: 2 ** 44 }),
    fc.integer({ min: 10 ** 12, max: 10 ** 12 + 300 }),
  );
  fc.assert(
    fc.property(fc.array(anyTime, { minLength: 1 }), (times) => {
      const timesMs = Float64Array.from(times);
      const minTimeMs = Math.min(...times);
      const { timeEncoding, bytes } = encodeTimes(timesMs, minTimeMs);
      const rows = times.length;
      const decoded = decodeTimes(Uint8Array.from(bytes), { timeEncoding, rows, minTimeMs });
      assert.deepEqual([...decoded], times);
    }),
  );
});
