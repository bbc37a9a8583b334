import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { MiB } from '@weir/core';
import { settle, until } from '@weir/core/testing';
import fc from 'fast-check';
import type { MemoryPool } from '../slabs/memory-pool.ts';
import { Page } from './page.ts';
import { PageCache } from './page-cache.ts';
import { createPagePool } from './page-pool.ts';
import type { PageSource } from './page-source.ts';

/** Creates pages whose bytes all are their number, so that memory that is used twice shows. */
class NumberedPages implements PageSource {
  readonly pool: MemoryPool;
  readonly #bytesOf: (number: number) => number;
  readonly #waiting: (() => void)[] = [];
  #count = 0;

  constructor(pool: MemoryPool, bytesOf: (number: number) => number) {
    this.pool = pool;
    this.#bytesOf = bytesOf;
  }

  create(): NumberedPage {
    const number = this.#count++ % 200;
    const bytes = this.#bytesOf(number);
    const memory = this.pool.take(bytes);
    const content = (memory?.bytes ?? Buffer.allocUnsafeSlow(bytes)).fill(number);
    return new NumberedPage([content], { memory }, number);
  }

  read(): Promise<Page> {
    return new Promise((resolve) => {
      this.#waiting.push(() => resolve(this.create()));
    });
  }

  async arrive(): Promise<void> {
    for (const resolve of this.#waiting.splice(0)) resolve();
    await settle();
  }
}

class NumberedPage extends Page {
  readonly number: number;

  constructor(slices: Buffer[], options: ConstructorParameters<typeof Page>[1], number: number) {
    super(slices, options);
    this.number = number;
  }
}

function assertIntact(page: Page): void {
  const { number } = page as NumberedPage;
  const views: Buffer[] = [];
  page.collect(0, page.byteLength, views);
  // The ends are enough: what is used again is overwritten as a whole.
  for (const view of views) {
    assert.deepEqual([view[0], view.at(-1)], [number, number], 'memory in use was used again');
  }
}

const sizes = fc.constantFrom(1, 1000, 300_000, MiB, 3 * MiB, 4 * MiB, 5 * MiB);

test('memory is never used again while a page has a user, and all of it is at the end', () => {
  const use = fc.record({
    kind: fc.constantFrom('create', 'create', 'retain', 'release', 'release', 'release', 'keep' as const),
    at: fc.nat(),
  });
  fc.assert(
    fc.property(
      fc.array(sizes, { minLength: 1, maxLength: 5 }),
      fc.array(use, { maxLength: 60 }),
      fc.boolean(),
      (bytes, uses, mayKeep) => {
        const pages = new NumberedPages(
          createPagePool({ slabBytes: 4 * MiB, bytesMax: 12 * MiB, poisons: true }),
          (number) => bytes[number % bytes.length]!,
        );
        const { pool } = pages;
        const held: Page[] = [];
        const kept = new Set<Page>();
        for (const { kind, at } of uses) {
          const page = held[at % Math.max(1, held.length)];
          if (kind === 'create') held.push(pages.create());
          else if (page === undefined) continue;
          else if (kind === 'retain') held.push(page.retain());
          else if (kind === 'release') held.splice(held.indexOf(page), 1)[0]!.release();
          else if (mayKeep) {
            page.keep();
            kept.add(page);
          }
          for (const user of [...held, ...kept]) assertIntact(user);
          assert.ok(pool.bytes <= 12 * MiB);
        }
        for (const page of held) page.release();
        for (const page of kept) assertIntact(page);
        if (kept.size === 0) assert.equal(pool.freeBytes, pool.bytes);
      },
    ),
    { numRuns: 50 },
  );
});

test('the cache, its readers and answers never use memory that was used again, whatever is evicted when', async () => {
  const step = fc.record({
    kind: fc.constantFrom('read', 'borrow', 'reload', 'peek', 'put', 'arrive', 'release' as const),
    index: fc.nat({ max: 5 }),
    at: fc.nat(),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(sizes, { minLength: 1, maxLength: 5 }),
      fc.array(step, { maxLength: 60 }),
      async (bytes, steps) => {
        const pool = createPagePool({ slabBytes: 4 * MiB, bytesMax: 64 * MiB, poisons: true });
        const source = new NumberedPages(pool, (number) => bytes[number % bytes.length]!);
        const cache = new PageCache({ source, cacheBytesMax: 8 * MiB });
        const held: Page[] = [];
        const take = (page: Promise<Page>) => void page.then((taken) => held.push(taken));
        for (const { kind, index, at } of steps) {
          if (kind === 'read') take(cache.read('f', index));
          else if (kind === 'borrow') take(cache.borrow('f', index, source));
          else if (kind === 'reload') take(cache.reload('f', index));
          else if (kind === 'put') cache.put('f', index, source.create());
          else if (kind === 'arrive') await source.arrive();
          else if (kind === 'release') held.splice(at % Math.max(1, held.length), 1)[0]?.release();
          else {
            const page = cache.peek('f', index)?.retain();
            if (page !== undefined) held.push(page);
          }
          for (const page of held) assertIntact(page);
        }
        await source.arrive();
        for (const page of held) assertIntact(page);
        for (const page of held) page.release();
        // Pages of other memory take the place of those in the cache.
        for (let index = 0; index <= 5; index++) cache.put('f', index, new Page([Buffer.alloc(1)]));
        assert.equal(pool.freeBytes, pool.bytes, 'everything came back');
      },
    ),
    { numRuns: 50 },
  );
});

test('a page that is released too often, or used after that, is an error', () => {
  const page = new Page([Buffer.alloc(1)]);
  page.retain();
  page.release();
  page.release();
  assert.throws(() => page.release(), /released a page too often/);
  assert.throws(() => page.retain(), /retained a released page/);
});

test('free memory is used before more is allocated, and only so much is allocated', () => {
  const pool = createPagePool({ slabBytes: 4 * MiB, bytesMax: 8 * MiB });
  const [first, second, third] = [pool.take(4 * MiB), pool.take(4 * MiB), pool.take(1)];
  assert.ok(first !== undefined && second !== undefined);
  assert.equal(third, undefined, 'the limit is reached');
  second.release();
  second.release();
  assert.equal(pool.freeBytes, 4 * MiB, 'released once');
  const again = pool.take(4 * MiB);
  assert.equal(again?.bytes.buffer, second.bytes.buffer);
  assert.equal(pool.take(4 * MiB), undefined);
  assert.equal(
    createPagePool({ slabBytes: 4 * MiB, bytesMax: 8 * MiB }).take(4 * MiB + 1),
    undefined,
    'larger than a slab',
  );
});

test('a page that stays in use does not hold back its neighbours', () => {
  const pool = createPagePool({ slabBytes: 4 * MiB, bytesMax: 4 * MiB });
  const pages = Array.from({ length: 4 }, () => pool.take(MiB)!);
  const starts = pages.map(({ bytes }) => bytes.byteOffset);
  pages[0]!.release();
  pages[2]!.release();
  assert.equal(pool.take(2 * MiB), undefined, 'what is free lies apart');
  assert.deepEqual(
    [pool.take(MiB)?.bytes.byteOffset, pool.take(MiB)?.bytes.byteOffset],
    [starts[0], starts[2]],
  );
  pages[3]!.release();
  pages[1]!.release();
  assert.equal(pool.freeBytes, 2 * MiB);
});

test('memory that is never released is collected, and others may be allocated instead', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const pool = createPagePool({ slabBytes: 4 * MiB, bytesMax: 8 * MiB });
  // In a function of its own, so that nothing refers to the memory afterwards.
  const forget = () => {
    assert.ok(pool.take(4 * MiB) !== undefined && pool.take(4 * MiB) !== undefined);
  };
  forget();
  assert.equal(pool.take(4 * MiB), undefined);
  await until(() => {
    collect();
    return pool.bytes <= 4 * MiB;
  });
  assert.ok(pool.take(4 * MiB) !== undefined);
});
