import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Clock, systemClock } from '@weir/core';
import { fieldListFormats } from '../../testing/field-list-format.ts';
import type { SchemaFormat, SchemaSource } from '../schema-format.ts';
import { SchemaPool } from './schema-pool.ts';
import type { SchemaTask } from './schema-task.ts';
import { SchemaWork, WorkPending, type WorkSession } from './schema-work.ts';
import { SizedCache } from './sized-cache.ts';

const caller = { client: 'ann' };
const workerUrl = new URL(import.meta.resolve('../../testing/field-list-worker.ts'));
const source = (text: string): SchemaSource => ({ text, references: [] });
const large = (text: string) => source(`${text} ${'filler '.repeat(10_000)}`);

const canonical = (text: string): SchemaTask => ({
  kind: 'canonical',
  type: 'AVRO',
  source: large(text),
  normalize: false,
  isNew: true,
  validatesFields: false,
});

/** Asks until the result is there. */
async function settled<Result>(ask: () => Result): Promise<Result> {
  for (;;) {
    try {
      return ask();
    } catch (error) {
      if (!(error instanceof WorkPending)) throw error;
      await error.done;
    }
  }
}

async function withPool(
  options: { clock?: Clock; waitingMax?: number; waitingPerClientMax?: number; threadsMax?: number },
  use: (session: WorkSession, pool: SchemaPool, work: SchemaWork) => Promise<void>,
): Promise<void> {
  const pool = new SchemaPool({ clock: systemClock, workerUrl, threadsMax: 1, ...options });
  const work = new SchemaWork({ formats: fieldListFormats, pool });
  try {
    await use(work.session(caller), pool, work);
  } finally {
    await work.end();
  }
}

const plain = { normalize: false, isNew: true, validatesFields: false };
const normal = { ...plain, normalize: true };

describe('work on schemas', () => {
  it('is done at once if the schema is small', async () => {
    await withPool({}, async (session, pool) => {
      assert.equal(session.canonicalText('AVRO', source(' b  a '), plain), 'b a');
      assert.equal(session.canonicalText('AVRO', source(' b  a '), normal), 'a b');
      assert.throws(() => session.canonicalText('AVRO', source('!'), plain), { name: 'InvalidSchema' });
      const found = session.incompatibilities('AVRO', source('a b'), source('a'), {
        reader: 'new',
        policy: 'STRICT',
      });
      assert.deepEqual(
        found.map(({ path }) => path),
        ['/b'],
      );
      assert.equal(pool.threads, 0);
    });
  });

  it('compares texts for people at once if they are small, and in a thread otherwise', async () => {
    await withPool({}, async (session, pool) => {
      const named = (text: string, lines: number) => ({
        name: text,
        type: 'PROTOBUF' as const,
        source: source(`${text}\n${'line\n'.repeat(lines)}`),
      });
      assert.match(session.diff(named('a', 10), named('b', 10), 100), /^--- a\n\+\+\+ b\n@@ .*\n-a\n\+b/);
      assert.equal(pool.threads, 0);
      const [before, after] = [named('a', 1_000), named('b', 1_000)];
      assert.throws(() => session.diff(before, after, 100), WorkPending);
      assert.match(await settled(() => session.diff(before, after, 100)), /\n-a\n\+b/);
      assert.equal(pool.threads, 1);
    });
  });

  it('is done in a thread if the schema is large', async () => {
    await withPool({}, async (session, pool) => {
      const schema = large('a');
      assert.throws(() => session.canonicalText('AVRO', schema, plain), WorkPending);
      assert.match(await settled(() => session.canonicalText('AVRO', schema, plain)), /^a filler/);
      await assert.rejects(
        settled(() => session.canonicalText('AVRO', large('!'), plain)),
        { name: 'InvalidSchema', message: '"!" is not a field' },
      );
      const options = { reader: 'old', policy: 'STRICT' } as const;
      const found = await settled(() => session.incompatibilities('JSON', large('b'), large('a'), options));
      assert.deepEqual(
        found.map(({ path }) => path),
        ['/b'],
      );
      assert.equal(pool.threads, 1);
    });
  });

  it('is given up after some time, and the next schema gets a new thread', async () => {
    const timers: (() => void)[] = [];
    const after = (_: number, run: () => void) => {
      timers.push(run);
      return () => {};
    };
    const clock: Clock = { ...systemClock, after };
    await withPool({ clock }, async (session) => {
      const refusal = settled(() => session.canonicalText('AVRO', large('spin'), plain));
      timers[0]!();
      await assert.rejects(refusal, { code: 42209, message: /takes too long to check/ });
      assert.match(await settled(() => session.canonicalText('AVRO', large('a'), plain)), /^a /);
    });
  });

  it('is done in a thread if two JSON schemas of some size are compared', async () => {
    await withPool({}, async (session) => {
      const [reader, writer] = [source(`a ${'b '.repeat(2_000)}`), source(`a ${'c '.repeat(2_000)}`)];
      const options = { reader: 'new', policy: 'STRICT' } as const;
      assert.throws(() => session.incompatibilities('JSON', reader, writer, options), WorkPending);
      await settled(() => session.incompatibilities('JSON', reader, writer, options));
      session.incompatibilities('AVRO', reader, writer, options);
    });
  });

  it('is refused if too much waits', async () => {
    await withPool({ waitingMax: 1 }, async (_, pool) => {
      const tasks = ['a', 'b', 'c'].map((text) => pool.run(canonical(text), caller));
      const results = await Promise.allSettled(tasks);
      assert.deepEqual(
        results.map(({ status }) => status),
        ['fulfilled', 'fulfilled', 'rejected'],
      );
      assert.equal((results[2] as PromiseRejectedResult).reason.code, 50002);
    });
  });

  it('is not begun when its request has long timed out', async () => {
    let monotonicMs = 0;
    const clock: Clock = {
      nowMs: () => 0,
      monotonicMs: () => monotonicMs,
      after: (delayMs, run) => systemClock.after(delayMs, run),
    };
    await withPool({ clock }, async (_, pool) => {
      const tasks = ['a', 'b'].map((text) => pool.run(canonical(text), caller));
      monotonicMs = 60_000;
      await tasks[0];
      await assert.rejects(tasks[1]!, { code: 50002 });
    });
  });

  it('that waits is refused when the registry stops', async () => {
    await withPool({}, async (_, pool, work) => {
      const tasks = ['spin', 'b'].map((text) => pool.run(canonical(text), caller));
      await Promise.all([...tasks.map((task) => assert.rejects(task, { code: 50002 })), work.end()]);
      await assert.rejects(pool.run(canonical('a'), caller), {
        code: 50002,
      });
    });
  });

  it('ends with the request that wanted it, and its thread with it', async () => {
    await withPool({}, async (_, pool) => {
      const [running, waiting] = [new AbortController(), new AbortController()];
      const hostile = pool.run(canonical('spin'), { ...caller, signal: running.signal });
      const behind = pool.run(canonical('spin'), { ...caller, signal: waiting.signal });
      const next = pool.run(canonical('b'), caller);
      waiting.abort();
      await assert.rejects(behind, { code: 50002, message: /given up/ });
      running.abort();
      await assert.rejects(hostile, { code: 50002, message: /given up/ });
      assert.equal((await next).kind, 'text');
      assert.equal(pool.threads, 1);
      const late = pool.run(canonical('c'), { ...caller, signal: running.signal });
      await assert.rejects(late, { code: 50002 });
    });
  });

  it('of one client leaves a thread to the others', async () => {
    await withPool({ threadsMax: 2 }, async (_, pool, work) => {
      const hostile = ['spin', 'spin', 'spin'].map((text) =>
        pool.run(canonical(text), { client: 'mallory' }),
      );
      assert.equal(pool.threads, 1);
      assert.equal((await pool.run(canonical('a'), caller)).kind, 'text');
      await Promise.all([...hostile.map((task) => assert.rejects(task)), work.end()]);
    });
  });

  it('of clients takes turns, and the line of one client is bounded', async () => {
    await withPool({ waitingPerClientMax: 3 }, async (_, pool) => {
      const finished: string[] = [];
      const run = async (client: string, text: string) => {
        await pool.run(canonical(text), { client });
        finished.push(`${client} ${text}`);
      };
      const tasks = ['a', 'b', 'c', 'd'].map((text) => run('mallory', text));
      await assert.rejects(run('mallory', 'e'), { code: 50002, message: /Too many/ });
      tasks.push(run('ann', 'a'), run('ann', 'b'), run('bob', 'a'));
      await Promise.all(tasks);
      assert.deepEqual(finished, [
        'mallory a',
        'mallory b',
        'ann a',
        'bob a',
        'mallory c',
        'ann b',
        'mallory d',
      ]);
    });
  });

  it('is done once for the same texts', () => {
    let parses = 0;
    const avro: SchemaFormat = {
      ...fieldListFormats.AVRO,
      parse(given) {
        parses += 1;
        return fieldListFormats.AVRO.parse(given);
      },
    };
    const work = new SchemaWork({ formats: { ...fieldListFormats, AVRO: avro } });
    const reference = { name: 'r', subject: 's', version: 1 };
    const sources = () => ({ text: '@r', references: [{ ...reference, source: source('a') }] });
    assert.equal(work.session(caller).canonicalText('AVRO', sources(), plain), '@r');
    assert.equal(work.session(caller).canonicalText('AVRO', sources(), normal), '@r');
    assert.equal(parses, 1);
    const other = { text: '@r', references: [{ ...reference, source: source('b') }] };
    assert.equal(work.session(caller).formattedText('AVRO', other, 'resolved'), 'b');
    assert.equal(work.session(caller).formattedText('AVRO', sources(), 'resolved'), 'a');
    assert.equal(parses, 2);
  });
});

it('a cache is bounded by size, and drops what was not used for longest', () => {
  const cache = new SizedCache<string>(10);
  cache.set('a', 'A', 4);
  cache.set('b', 'B', 4);
  cache.get('a');
  cache.set('c', 'C', 4);
  assert.deepEqual(
    ['a', 'b', 'c'].map((key) => cache.get(key)),
    ['A', undefined, 'C'],
  );
  cache.set('a', 'A2', 1);
  cache.set('d', 'D', 11);
  assert.deepEqual([cache.get('a'), cache.get('d'), cache.size], ['A2', undefined, 5]);
});
