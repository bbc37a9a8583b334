import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pointers } from '@weir/cluster';
import { Metrics, Semaphore } from '@weir/core';
import { settle } from '@weir/core/testing';
import fc from 'fast-check';
import { Page } from './page.ts';
import { PageCache } from './page-cache.ts';
import { pageMetrics } from './page-metrics.ts';
import type { PageSource } from './page-source.ts';
import { Readahead, readsFrom } from './readahead.ts';

const pageBytes = 100;

function ranges(...rows: readonly [fileId: string, byteStart: number, byteLength: number][]): Pointers {
  return {
    fileId: rows.map(([fileId]) => fileId),
    byteStart: Float64Array.from(rows, ([, byteStart]) => byteStart),
    byteLength: Float64Array.from(rows, ([, , byteLength]) => byteLength),
    baseOffset: Float64Array.from(rows, (_, row) => row),
    nextOffset: Float64Array.from(rows, (_, row) => row + 1),
  };
}

test('the pages that a reader needs, and the bytes before each', () => {
  const pointers = ranges(['a', 50, 200], ['b', 0, 100], ['c', 199, 2]);
  const table: [row: number, at: number, expected: string][] = [
    [0, 50, 'a/0@0 a/1@50 a/2@150 b/0@200 c/1@300 c/2@301'],
    [0, 100, 'a/1@0 a/2@100 b/0@150 c/1@250 c/2@251'],
    [0, 249, 'a/2@0 b/0@1 c/1@101 c/2@102'],
    [0, 250, 'b/0@0 c/1@100 c/2@101'],
    [1, 99, 'b/0@0 c/1@1 c/2@2'],
    [2, 200, 'c/2@0'],
    [2, 201, ''],
    [3, 0, ''],
  ];
  for (const [row, at, expected] of table) {
    const pages = [...readsFrom(pointers, row, at, { pageBytes })];
    const text = pages.map(({ fileId, index, bytesBefore }) => `${fileId}/${index}@${bytesBefore}`).join(' ');
    assert.equal(text, expected, `from byte ${at} of range ${row}`);
  }
});

/** A bucket that returns pages when the test says so. */
class HeldSource implements PageSource {
  readonly requested: string[] = [];
  readonly #resolvers: (() => void)[] = [];

  read(fileId: string, index: number): Promise<Page> {
    this.requested.push(`${fileId}/${index}`);
    return new Promise((resolve) => {
      this.#resolvers.push(() => resolve(new Page([Buffer.alloc(pageBytes)])));
    });
  }

  readRange(fileId: string, start: number, end: number): Promise<Page> {
    this.requested.push(`${fileId} ${start}-${end}`);
    return Promise.resolve(new Page([Buffer.alloc(end - start)]));
  }

  async resolvePage(): Promise<void> {
    for (const resolvePage of this.#resolvers.splice(0)) resolvePage();
    await settle();
  }
}

function reader(
  pointers: Pointers,
  options: {
    pagesMax?: number;
    bytesMax?: number;
    budget?: Semaphore;
    cacheBytesMax?: number;
    isReadAlone?: (fileId: string) => boolean;
  } = {},
) {
  const { isReadAlone } = options;
  const source = new HeldSource();
  const cache = new PageCache({ source, cacheBytesMax: options.cacheBytesMax ?? 10_000 });
  const budget = options.budget ?? new Semaphore({ permits: 100 });
  const ahead = new Readahead({
    plan: readsFrom(
      pointers,
      0,
      pointers.byteStart[0] ?? 0,
      isReadAlone === undefined ? { pageBytes } : { pageBytes, isReadAlone },
    ),
    bytesMax: options.bytesMax ?? Number.POSITIVE_INFINITY,
    pagesMax: options.pagesMax ?? 100,
    budget,
    cache,
    source: cache,
    rangeReads: { read: (fileId, start, end) => source.readRange(fileId, start, end) },
    metrics: pageMetrics(new Metrics()),
  });
  return { ahead, source, cache, budget };
}

test('the number of pages ahead of a reader is limited, and grows when the reader takes some', async () => {
  const { ahead, source } = reader(ranges(['a', 0, 1_000]), { pagesMax: 3 });
  ahead.ask();
  assert.deepEqual(source.requested, ['a/0', 'a/1', 'a/2']);
  ahead.ask();
  assert.equal(source.requested.length, 3);
  const first = ahead.take('a', 0)!;
  assert.equal(ahead.take('a', 0), undefined, 'a page is taken once');
  assert.equal(ahead.take('a', 7), undefined);
  ahead.ask();
  assert.deepEqual(source.requested.slice(3), ['a/3']);
  await source.resolvePage();
  assert.equal((await first).byteLength, pageBytes);
});

test('pages that are in memory, being loaded or not needed are not requested', async () => {
  const { ahead, source, cache } = reader(ranges(['a', 0, 300], ['b', 0, 100], ['c', 0, 100]), {
    bytesMax: 350,
  });
  cache.put('a', 1, new Page([Buffer.alloc(1)]));
  void cache.read('b', 0);
  ahead.ask();
  assert.deepEqual(source.requested, ['b/0', 'a/0', 'a/2'], 'c begins after byte 350');
  assert.equal(ahead.take('b', 0), undefined);
});

test('loaded pages wait for their reader, even if the cache had no room for them', async () => {
  const { ahead, source, cache } = reader(ranges(['a', 0, 400]), { cacheBytesMax: 150 });
  ahead.ask();
  await source.resolvePage();
  assert.equal(cache.peek('a', 0), undefined);
  assert.equal((await ahead.take('a', 0)!).byteLength, pageBytes);
});

test('ranges that are read without their pages are requested ahead, each once', async () => {
  const budget = new Semaphore({ permits: 3 });
  const { ahead, source } = reader(ranges(['a', 10, 20], ['b', 0, 100], ['c', 50, 5], ['d', 7, 3]), {
    budget,
    isReadAlone: (fileId) => fileId !== 'b',
  });
  ahead.ask();
  assert.deepEqual(source.requested, ['a 10-30', 'b/0', 'c 50-55']);
  assert.equal(ahead.take('a', 0), undefined);
  assert.equal((await ahead.takeRange('a', 10)!).byteLength, 20);
  assert.equal(ahead.takeRange('a', 10), undefined, 'a range is taken once');
  ahead.ask(4);
  assert.equal(source.requested.length, 3, 'the reader has passed the last range');
  ahead.end();
  assert.equal(budget.running, 0);
});

test('all readers share a budget, and return what they did not use', () => {
  const budget = new Semaphore({ permits: 5 });
  const one = reader(ranges(['a', 0, 400]), { budget });
  const two = reader(ranges(['b', 0, 400]), { budget });
  one.ahead.ask();
  two.ahead.ask();
  assert.deepEqual([one.source.requested.length, two.source.requested.length], [4, 1]);
  one.ahead.end();
  assert.equal(budget.running, 1);
  two.ahead.ask();
  assert.equal(two.source.requested.length, 4);
  two.ahead.end();
  assert.equal(budget.running, 0);
});

test('a reader returns its whole budget when it ends, whatever it took', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.nat(500), fc.integer({ min: 1, max: 500 })), {
        minLength: 1,
        maxLength: 6,
      }),
      fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.nat(10))),
      fc.integer({ min: 1, max: 9 }),
      (rows, takes, pagesMax) => {
        const { ahead, budget } = reader(ranges(...rows), { pagesMax });
        for (const [fileId, index] of takes) {
          ahead.ask();
          assert.ok(budget.running <= pagesMax);
          ahead.take(fileId, index);
        }
        ahead.end();
        assert.equal(budget.running, 0);
      },
    ),
  );
});
