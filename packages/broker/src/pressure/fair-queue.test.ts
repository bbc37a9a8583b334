import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle } from '@weir/core/testing';
import fc from 'fast-check';
import { FairQueue } from './fair-queue.ts';

/** Work that runs until the test ends it. */
function workshop(gate: FairQueue) {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const results = new Map<string, string>();
  return {
    begun,
    results,
    ask(client: AbortController, name: string): void {
      const work = () =>
        new Promise<string>((resolve) => {
          begun.push(name);
          ends.set(name, () => resolve(`done ${name}`));
        });
      void gate.run(client.signal, work).then((result) => results.set(name, result));
    },
    async end(name: string): Promise<void> {
      ends.get(name)!();
      await settle();
    },
  };
}

test('concurrency is limited, and clients take turns', async () => {
  const gate = new FairQueue({ runningMax: 1, waitingMax: 100 });
  const { ask, end, begun } = workshop(gate);
  const [greedy, modest] = [new AbortController(), new AbortController()];
  for (const name of ['g1', 'g2', 'g3', 'g4']) ask(greedy, name);
  for (const name of ['m1', 'm2']) ask(modest, name);
  await settle();
  assert.deepEqual(begun, ['g1']);
  assert.equal(gate.waiting, 5);
  for (const name of ['g1', 'g2', 'm1', 'g3', 'm2', 'g4']) await end(name);
  assert.deepEqual(begun, ['g1', 'g2', 'm1', 'g3', 'm2', 'g4']);
  assert.deepEqual([gate.running, gate.waiting], [0, 0]);
});

test('a client that disconnects leaves the queue, and its running work is finished', async () => {
  const gate = new FairQueue({ runningMax: 1, waitingMax: 100 });
  const { ask, end, begun, results } = workshop(gate);
  const [leaving, staying] = [new AbortController(), new AbortController()];
  for (const name of ['l1', 'l2', 'l3']) ask(leaving, name);
  ask(staying, 's1');
  await settle();
  leaving.abort();
  await settle();
  assert.equal(gate.waiting, 1);
  assert.deepEqual([results.get('l2'), results.get('l3')], ['gone', 'gone']);
  ask(leaving, 'l4');
  await settle();
  assert.equal(results.get('l4'), 'gone');
  await end('l1');
  assert.equal(results.get('l1'), 'done l1');
  assert.deepEqual(begun, ['l1', 's1']);
});

test('the number of waiting requests is limited', async () => {
  let held = 0;
  const gate = new FairQueue({ runningMax: 1, waitingMax: 2, onHeld: () => held++ });
  const { ask, end, results } = workshop(gate);
  for (const name of ['a', 'b', 'c', 'd']) ask(new AbortController(), name);
  await settle();
  assert.deepEqual([...results], [['d', 'full']]);
  assert.equal(held, 3);
  await end('a');
  ask(new AbortController(), 'e');
  await settle();
  assert.equal(results.has('e'), false);
});

test('without a limit only the condition holds work back', async () => {
  let mayBegin = false;
  const gate = new FairQueue({ runningMax: 0, waitingMax: 100, mayBegin: () => mayBegin });
  const { ask, begun } = workshop(gate);
  for (const name of ['a', 'b', 'c']) ask(new AbortController(), name);
  await settle();
  assert.deepEqual(begun, []);
  mayBegin = true;
  gate.pump();
  await settle();
  assert.deepEqual(begun, ['a', 'b', 'c']);
});

test('failed work frees its slot', async () => {
  const gate = new FairQueue({ runningMax: 1, waitingMax: 1 });
  const client = new AbortController().signal;
  await assert.rejects(
    gate.run(client, () => Promise.reject(new Error('on purpose'))),
    /on purpose/,
  );
  assert.equal(await gate.run(client, async () => 'next'), 'next');
});

test('the limit always holds, and all requests are answered', async () => {
  type Step = { readonly kind: 'ask' | 'end' | 'leave'; readonly client: number };
  const step: fc.Arbitrary<Step> = fc.record({
    kind: fc.constantFrom('ask', 'ask', 'end', 'leave'),
    client: fc.nat(4),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 3 }),
      fc.array(step, { maxLength: 40 }),
      async (max, steps) => {
        const gate = new FairQueue({ runningMax: max, waitingMax: 10 });
        const { ask, end, begun, results } = workshop(gate);
        const clients = Array.from({ length: 5 }, () => new AbortController());
        let askCount = 0;
        const ended = new Set<string>();
        const running = () => begun.filter((name) => !ended.has(name));
        for (const { kind, client } of steps) {
          if (kind === 'ask') ask(clients[client]!, `${askCount++}`);
          if (kind === 'leave') {
            clients[client]!.abort();
            clients[client] = new AbortController();
          }
          const [first] = running();
          if (kind === 'end' && first !== undefined) {
            ended.add(first);
            await end(first);
          }
          await settle();
          assert.ok(running().length <= max);
          assert.equal(gate.running, running().length);
          assert.ok(gate.waiting === 0 || gate.running === max, 'no request waits while a place is free');
        }
        for (let [first] = running(); first !== undefined; [first] = running()) {
          ended.add(first);
          await end(first);
        }
        assert.equal(results.size, askCount);
        assert.deepEqual([gate.running, gate.waiting], [0, 0]);
      },
    ),
    { numRuns: 200 },
  );
});
