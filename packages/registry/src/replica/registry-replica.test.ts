import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CallNotDone, type ClusterPort } from '@weir/cluster';
import { seededRandom, silentLog } from '@weir/core';
import { settle } from '@weir/core/testing';
import { TestCluster } from '@weir/metadata/testing';
import fc from 'fast-check';
import { registryLimits } from '../limits.ts';
import { RegistryError } from '../registry-error.ts';
import type { Decision } from '../registry-store.ts';
import { RegistryState } from '../state/registry-state.ts';
import { type RegistryChangeStream, RegistryReplica } from './registry-replica.ts';

/** A state of counters. */
class Counters extends RegistryState {
  readonly values = new Map<string, number>();

  override apply(key: string, value: Uint8Array | null): void {
    if (value === null) this.values.delete(key);
    else this.values.set(key, Number(Buffer.from(value).toString()));
  }

  override valueOf(key: string): Uint8Array | null {
    const value = this.values.get(key);
    return value === undefined ? null : Buffer.from(String(value));
  }

  of(key: string): number {
    return this.values.get(key) ?? 0;
  }
}

/** The change stream of a cluster, as a view of an agent gives it. */
function streamOf(port: ClusterPort): RegistryChangeStream {
  const runs = new Set<() => void>();
  let revision = 0;
  const changed = (now: number) => {
    revision = now;
    for (const run of runs) run();
  };
  port.follow({
    onSnapshot: ({ registryRevision = 0 }) => changed(registryRevision),
    onChanges: (changes) => {
      for (const change of changes) if (change.kind === 'registry') changed(change.revision);
    },
  });
  return {
    registryRevision: () => revision,
    onRegistryChange: (run) => {
      runs.add(run);
      return () => runs.delete(run);
    },
  };
}

function replicaOf(cluster: TestCluster, changes?: RegistryChangeStream, seed = 1): RegistryReplica {
  const { clock } = cluster;
  const newState = () => new Counters();
  const random = seededRandom(seed);
  return new RegistryReplica({ port: cluster, changes, clock, random, log: silentLog, newState });
}

function valueIn({ state }: RegistryReplica, key: string): number {
  return (state as Counters).of(key);
}

/** Decides to add to a counter, and replies its new value. */
function add(key: string, count = 1) {
  return (state: RegistryState): Decision<number> => {
    const reply = (state as Counters).of(key) + count;
    return { changes: count === 0 ? [] : [{ key, value: Buffer.from(String(reply)) }], reply };
  };
}

function outcome(promise: Promise<unknown>): Promise<string> {
  return promise.then(String, (error: unknown) => {
    assert.ok(error instanceof RegistryError, String(error));
    return `${error.error}: ${error.message}`;
  });
}

test('nothing is read before the first use', async () => {
  const cluster = new TestCluster();
  const replica = replicaOf(cluster, streamOf(cluster));
  await replicaOf(cluster).write(add('a'));
  await settle();
  const { readRegistry } = cluster.calls;
  assert.equal(valueIn(replica, 'a'), 0);
  await Promise.all([replica.ready(), replica.ready()]);
  assert.equal(valueIn(replica, 'a'), 1);
  assert.equal(cluster.calls.readRegistry, readRegistry + 1);
  await replica.ready();
  assert.equal(cluster.calls.readRegistry, readRegistry + 1);
});

test('a replica with a change stream follows, one without it is refreshed', async () => {
  const cluster = new TestCluster();
  const following = replicaOf(cluster, streamOf(cluster));
  const other = replicaOf(cluster);
  await Promise.all([following.ready(), other.ready()]);
  assert.equal(await replicaOf(cluster).write(add('a', 5)), 5);
  await settle();
  assert.deepEqual([valueIn(following, 'a'), valueIn(other, 'a')], [5, 0]);
  await Promise.all([other.refresh(), other.refresh()]);
  assert.equal(valueIn(other, 'a'), 5);
});

test('a refresh that comes during a read is a read of its own', async () => {
  const cluster = new TestCluster();
  const replica = replicaOf(cluster);
  await replica.ready();
  const held = Promise.withResolvers<void>();
  cluster.around = async (name, proceed) => {
    const answer = await proceed();
    if (name === 'readRegistry') await held.promise;
    return answer;
  };
  const first = replica.refresh();
  await settle();
  await cluster.changeRegistry({
    expectedRevision: 0,
    changes: [{ key: 'a', value: Buffer.from('7') }],
  });
  const second = Promise.all([replica.refresh(), replica.refresh()]);
  held.resolve();
  await first;
  assert.equal(valueIn(replica, 'a'), 0);
  await second;
  assert.equal(valueIn(replica, 'a'), 7);
  assert.equal(cluster.calls.readRegistry, 3);
});

test('writes of the same moment are one commit, and each sees those before it', async () => {
  const cluster = new TestCluster();
  const replica = replicaOf(cluster);
  await replica.ready();
  const replies = Array.from({ length: 10 }, () => replica.write(add('a')));
  assert.equal(valueIn(replica, 'a'), 0, 'what is not durable is not in the state');
  assert.deepEqual(await Promise.all(replies), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  assert.equal(valueIn(replica, 'a'), 10);
  assert.equal(cluster.calls.changeRegistry, 1);
  assert.equal(replica.state.revision, 1, 'ten changes of one key are one');
});

test('the state has no change before it is durable, and all of it then', async () => {
  const cluster = new TestCluster();
  const replica = replicaOf(cluster);
  await replica.ready();
  await replica.write(add('a'));
  const held = Promise.withResolvers<void>();
  cluster.around = async (_, proceed) => {
    const answer = await proceed();
    await held.promise;
    return answer;
  };
  const replies = Promise.all([replica.write(add('a')), replica.write(add('b')), replica.write(add('a'))]);
  await settle();
  assert.deepEqual([valueIn(replica, 'a'), valueIn(replica, 'b'), replica.state.revision], [1, 0, 1]);
  held.resolve();
  assert.deepEqual(await replies, [2, 1, 3]);
  assert.deepEqual([valueIn(replica, 'a'), valueIn(replica, 'b')], [3, 1]);
});

test('an error of a decision is the caller’s alone, and is decided on the current state', async () => {
  const cluster = new TestCluster();
  const replica = replicaOf(cluster);
  await replica.ready();
  await replicaOf(cluster).write(add('a', 3));
  const ifPresent = (state: RegistryState): Decision<number> => {
    if ((state as Counters).of('a') === 0) throw new RegistryError('subjectNotFound', 'there is no a');
    return add('a')(state);
  };
  const impossible = () => {
    throw new RegistryError('invalidMode', 'never');
  };
  const results = Promise.all(
    [replica.write(ifPresent), replica.write(impossible), replica.write(ifPresent)].map(outcome),
  );
  assert.deepEqual(await cluster.clock.until(results), ['4', 'invalidMode: never', '5']);
});

test('a write that needs work first does not hold up others', async () => {
  const cluster = new TestCluster();
  const replica = replicaOf(cluster);
  const work = Promise.withResolvers<void>();
  let isDone = false;
  const slow = replica.write((state) => (isDone ? add('a')(state) : { after: work.promise }));
  assert.equal(await replica.write(add('a')), 1);
  isDone = true;
  work.resolve();
  assert.equal(await slow, 2);
  const failing = replica.write(() => ({ after: Promise.reject(new RegistryError('invalidSchema', 'no')) }));
  assert.equal(await outcome(failing), 'invalidSchema: no');
});

test('a commit that is refused with others is tried alone', async () => {
  const cluster = new TestCluster();
  const replica = replicaOf(cluster);
  const tooLong = { key: 'x'.repeat(20_000), value: Buffer.from('1') };
  const results = [
    replica.write(add('a')),
    replica.write(() => ({ changes: [tooLong], reply: 1 })),
    replica.write(add('a')),
  ].map(outcome);
  assert.deepEqual(await Promise.all(results), [
    '1',
    'storeError: a key of the registry has 20000 bytes; 1 to 12288 are allowed',
    '2',
  ]);
  const { changeRegistry } = cluster.calls;
  await Promise.all([replica.write(add('a')), replica.write(add('a'))]);
  assert.equal(cluster.calls.changeRegistry, changeRegistry + 1, 'others are together again');
});

test('while the control plane is away the state is readable, and callers learn it', async () => {
  const cluster = new TestCluster();
  const replica = replicaOf(cluster);
  await replica.write(add('a'));
  cluster.around = () => Promise.reject(new CallNotDone('no leader'));
  assert.equal(await outcome(replica.refresh()), 'noLeader: the control plane is not available; retry later');
  assert.equal(
    await outcome(replica.write(add('a'))),
    'noLeader: the control plane is not available; retry later',
  );
  cluster.unavailable = true;
  assert.equal(
    await outcome(replica.write(add('a'))),
    'timeout: the control plane did not respond in time; retry later',
  );
  assert.equal(await outcome(replicaOf(cluster).ready()), await outcome(replica.refresh()));
  assert.equal(await outcome(replicaOf(cluster).write(add('b'))), await outcome(replica.refresh()));
  assert.equal(valueIn(replica, 'a'), 1);
  cluster.unavailable = false;
  cluster.around = (_, proceed) => proceed();
  assert.equal(await replica.write(add('a')), 2);
});

test('a write whose answer was lost is in the state of the next one', async () => {
  const cluster = new TestCluster();
  const replica = replicaOf(cluster);
  await replica.write(add('a'));
  cluster.around = async (name, proceed) => {
    await proceed();
    cluster.around = (_, next) => next();
    throw new Error(`the answer to ${name} was lost`);
  };
  assert.equal(
    await outcome(replica.write(add('a'))),
    'storeError: the registry could not be read or changed; retry later',
  );
  assert.equal(valueIn(replica, 'a'), 1);
  assert.equal(await cluster.clock.until(replica.write(add('a'))), 3);
});

test('a writer that is never first gives up', async () => {
  const cluster = new TestCluster();
  const replica = replicaOf(cluster);
  const other = replicaOf(cluster);
  cluster.around = async (name, proceed) => {
    if (name !== 'changeRegistry') return proceed();
    cluster.around = (_, next) => next();
    await other.refresh();
    await other.write(add('a'));
    const answer = await proceed();
    cluster.around = around;
    return answer;
  };
  const { around } = cluster;
  const startMs = cluster.clock.monotonicMs();
  const result = await cluster.clock.until(outcome(replica.write(add('a'))));
  assert.equal(result, 'timeout: concurrent writes conflicted too often; retry later');
  assert.ok(cluster.clock.monotonicMs() - startMs >= registryLimits.registryWriteMsMax);
});

test('a closed replica refuses writes and follows no more', async () => {
  const cluster = new TestCluster();
  const replica = replicaOf(cluster, streamOf(cluster));
  await replica.ready();
  replica.close();
  assert.equal(await outcome(replica.write(add('a'))), 'noLeader: the process is stopping');
  await replicaOf(cluster).write(add('a'));
  await settle();
  assert.equal(valueIn(replica, 'a'), 0);
});

test('a state of several pages is read whole, and other work runs between pages', async () => {
  const cluster = new TestCluster();
  const changes = Array.from({ length: 5_000 }, (_, index) => ({
    key: `${index}`,
    value: Buffer.from(String(index).padStart(1_000, '0')),
  }));
  await cluster.changeRegistry({ expectedRevision: 0, changes });
  const replica = replicaOf(cluster);
  const ready = replica.ready();
  await settle();
  assert.equal(cluster.calls.readRegistry, 1, 'the next page waits for a turn of the loop');
  await cluster.clock.until(ready);
  assert.equal((replica.state as Counters).values.size, 5_000);
  assert.equal(replica.state.revision, 5_000);
  assert.ok(cluster.calls.readRegistry >= 5, `${cluster.calls.readRegistry} pages`);
});

test('replicas that write at the same time lose no update, and replies are in the order of time', async () => {
  const key = fc.constantFrom('a', 'b');
  const step = fc.record({ replica: fc.nat(2), key, count: fc.constantFrom(0, 1, 1, 1), waits: fc.nat(3) });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.nat(), async (steps, seed) => {
      const cluster = new TestCluster();
      const random = seededRandom(seed);
      const replicas = [1, 2, 3].map((number) =>
        replicaOf(cluster, number === 2 ? undefined : streamOf(cluster), seed + number),
      );
      const delay = async () => {
        for (let left = random.below(4); left > 0; left--) await settle();
      };
      cluster.around = async (_, proceed) => {
        await delay();
        const answer = await proceed();
        await delay();
        return answer;
      };
      let now = 0;
      interface Done {
        readonly key: string;
        readonly count: number;
        readonly reply: number;
        readonly begun: number;
        readonly ended: number;
      }
      const running: Promise<Done>[] = [];
      for (const { replica, key: counter, count, waits } of steps) {
        const begun = ++now;
        running.push(
          replicas[replica]!.write(add(counter, count)).then((reply) => {
            const ended = ++now;
            assert.ok(valueIn(replicas[replica]!, counter) >= reply, 'the reply is in the state');
            return { key: counter, count, reply, begun, ended };
          }),
        );
        for (let left = waits; left > 0; left--) await settle();
      }
      const done = await cluster.clock.until(Promise.all(running));
      for (const counter of ['a', 'b']) {
        const own = done.filter((each) => each.key === counter);
        const added = own.filter(({ count }) => count > 0);
        assert.deepEqual(
          added.map(({ reply }) => reply).sort((a, b) => a - b),
          added.map((_, index) => index + 1),
        );
        for (const one of own)
          for (const other of own)
            if (one.ended < other.begun)
              assert.ok(one.reply + other.count <= other.reply, 'in order of time');
      }
      await cluster.clock.until(Promise.all(replicas.map((replica) => replica.refresh())));
      for (const replica of replicas)
        for (const counter of ['a', 'b'])
          assert.equal(
            valueIn(replica, counter),
            done.filter((each) => each.key === counter && each.count > 0).length,
          );
    }),
    { numRuns: 60 },
  );
});
