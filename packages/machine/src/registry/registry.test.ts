import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RegistryEntryChange, RegistryPage } from '@weir/cluster';
import fc from 'fast-check';
import { Cluster } from '../../testing/cluster.ts';
import { ClusterMachine } from '../machine.ts';

function put(key: string, value: string): RegistryEntryChange {
  return { key, value: Buffer.from(value) };
}

function removed(key: string): RegistryEntryChange {
  return { key, value: null };
}

function change(cluster: Cluster, expectedRevision: number, ...changes: RegistryEntryChange[]) {
  return cluster.execute({ kind: 'changeRegistry', request: { expectedRevision, changes } });
}

function pageOf({ entries, ...page }: RegistryPage): unknown {
  const shown = entries.map(({ key, value, revision }) => [revision, key, value && String(value)]);
  return { ...page, entries: shown };
}

function read(cluster: Cluster, afterRevision: number, startRevision = 0, bytesMax = 1000): unknown {
  return pageOf(cluster.machine.readRegistry({ afterRevision, startRevision, bytesMax }));
}

test('changes take effect if the registry has the revision on which they were decided', () => {
  const cluster = new Cluster();
  assert.deepEqual(change(cluster, 0, put('a', '1'), put('b', '1')), {
    error: 'NONE',
    message: null,
    revision: 2,
  });
  const before = cluster.saved();
  assert.deepEqual(change(cluster, 0, put('a', '2')), {
    error: 'STALE',
    message: 'the registry has revision 2, not 0: read it again',
    revision: 2,
  });
  assert.equal(change(cluster, 3, put('a', '2')).error, 'STALE');
  assert.deepEqual(change(cluster, 2, put('a', '1'), removed('c')), {
    error: 'NONE',
    message: null,
    revision: 2,
  });
  assert.ok(cluster.saved().equals(before), 'nothing changed');
  assert.equal(change(cluster, 2, put('a', '2'), put('a', '3')).revision, 3, 'the last of a key counts');
  assert.deepEqual(read(cluster, 0), {
    revision: 3,
    entries: [
      [2, 'b', '1'],
      [3, 'a', '3'],
    ],
    isComplete: true,
    restarts: false,
  });
});

test('a repeated request gets the first answer', () => {
  const cluster = new Cluster();
  const request = { expectedRevision: 0, changes: [put('a', '1')] };
  const first = cluster.request('agent:1', { kind: 'changeRegistry', request });
  change(cluster, 1, put('b', '1'));
  assert.deepEqual(cluster.request('agent:1', { kind: 'changeRegistry', request }), first);
  assert.equal(first.revision, 1);
});

test('followers learn the revision, and the snapshot for followers has it', () => {
  const cluster = new Cluster();
  assert.equal('registryRevision' in cluster.machine.snapshotForFollowers(), false);
  change(cluster, 0, put('a', '1'), put('b', '1'));
  change(cluster, 2, removed('a'));
  assert.deepEqual(cluster.replay().changes, [
    { kind: 'registry', revision: 2 },
    { kind: 'registry', revision: 3 },
  ]);
  assert.equal(cluster.machine.snapshotForFollowers().registryRevision, 3);
});

test('limits are checked before anything changes', () => {
  const cluster = new Cluster({
    registryChangesMax: 3,
    registryChangeBytesMax: 30,
    registryKeyBytesMax: 5,
    registryValueBytesMax: 20,
    registryEntriesMax: 2,
    registryBytesMax: 1000,
  });
  change(cluster, 0, put('a', 'x'.repeat(20)));
  const rows: [string, RegistryEntryChange[], RegExp][] = [
    ['changes', Array.from('abcd', (key) => put(key, '1')), /4 changes of the registry at once; at most 3/],
    ['key', [put('abcdef', '1')], /a key of the registry has 6 bytes; 1 to 5 are allowed/],
    ['no key', [put('', '1')], /a key of the registry has 0 bytes/],
    ['value', [put('b', 'x'.repeat(21))], /a value of the registry has 21 bytes; at most 20/],
    ['bytes', [put('a', 'y'.repeat(15)), put('b', 'y'.repeat(15))], /changes of the registry of 32 bytes/],
    ['entries', [put('b', '1'), put('c', '1')], /the registry has 1 entries; at most 2: delete schemas/],
  ];
  for (const [what, changes, message] of rows) {
    const before = cluster.saved();
    const { error, message: found, revision } = change(cluster, 1, ...changes);
    assert.deepEqual([what, error, revision], [what, 'POLICY_VIOLATION', 1]);
    assert.match(found!, message);
    assert.ok(cluster.saved().equals(before));
  }
  const small = new Cluster({ registryBytesMax: 400 });
  assert.equal(change(small, 0, put('a', '1')).error, 'NONE');
  assert.match(change(small, 1, put('b', '1')).message!, /the registry takes 322 bytes; at most 400/);
  assert.equal(change(small, 1, put('a', '')).error, 'NONE', 'what does not grow is possible');
});

test('a page is bounded in bytes and has one entry at least', () => {
  const cluster = new Cluster({ registryPageEntriesMax: 3 });
  change(cluster, 0, ...Array.from('abcdefg', (key) => put(key, '12345')));
  const keys = (afterRevision: number, bytesMax: number) => {
    const page = cluster.machine.readRegistry({ afterRevision, startRevision: 7, bytesMax });
    return [page.entries.map(({ key }) => key).join(''), page.isComplete];
  };
  assert.deepEqual(keys(0, 0), ['a', false]);
  assert.deepEqual(keys(0, 7), ['ab', false]);
  assert.deepEqual(keys(0, 1000), ['abc', false]);
  assert.deepEqual(keys(4, 1000), ['efg', true]);
  assert.deepEqual(keys(7, 1000), ['', true]);
});

test('a reader that misses forgotten removals starts anew, one that reads since then does not', () => {
  const cluster = new Cluster({ registryRemovalsMax: 1 });
  change(cluster, 0, put('a', '1'), put('b', '1'), put('c', '1'));
  change(cluster, 3, removed('a'));
  assert.deepEqual(read(cluster, 3), {
    revision: 4,
    entries: [[4, 'a', null]],
    isComplete: true,
    restarts: false,
  });
  change(cluster, 4, removed('b'));
  const all = { revision: 5, entries: [[3, 'c', '1']], isComplete: true };
  assert.deepEqual(read(cluster, 3), { ...all, restarts: true });
  assert.deepEqual(read(cluster, 0), { ...all, restarts: false }, 'it has nothing that was removed');
  assert.deepEqual(read(cluster, 9), { ...all, restarts: true }, 'it has read another history');
  // It began when the registry had revision 5, and stands at 1.
  assert.deepEqual(read(cluster, 1, 5), { ...all, restarts: false });
  change(cluster, 5, removed('c'));
  assert.deepEqual(read(cluster, 1, 5), {
    revision: 6,
    entries: [[6, 'c', null]],
    isComplete: true,
    restarts: false,
  });
});

test('a clone has the entries of the registry', () => {
  const cluster = new Cluster();
  change(cluster, 0, put('a', '1'), put('b', '1'));
  change(cluster, 2, removed('a'));
  const before = read(cluster, 0);
  cluster.machine.becomeClone('vci_clone', cluster.nowMs);
  assert.deepEqual(read(cluster, 0), before);
  assert.equal(change(cluster, 3, put('c', '1')).error, 'NONE');
});

test('a snapshot is of the moment when it began', () => {
  const cluster = new Cluster();
  change(cluster, 0, put('a', '1'), put('b', '1'));
  const expected = cluster.saved();
  const saving = cluster.machine.beginSave();
  change(cluster, 2, removed('a'), put('b', '2'), put('c', '1'));
  const saved = Buffer.concat([...saving.slices]);
  saving.end();
  assert.ok(saved.equals(expected));
});

/** What a reader has: it follows by pages of any size, from time to time. */
class Reader {
  readonly entries = new Map<string, string>();
  revision = 0;
  startRevision = 0;
  isWhole = false;

  read(machine: ClusterMachine, bytesMax: number): void {
    const { revision: afterRevision, startRevision } = this;
    const page = machine.readRegistry({ afterRevision, startRevision, bytesMax });
    if (page.restarts) this.entries.clear();
    if (page.restarts || this.revision === 0) this.startRevision = page.revision;
    for (const { key, value, revision } of page.entries) {
      if (value === null) this.entries.delete(key);
      else this.entries.set(key, String(value));
      assert.ok(page.restarts || revision > this.revision);
    }
    this.isWhole = page.isComplete;
    this.revision = page.isComplete ? page.revision : page.entries.at(-1)!.revision;
  }
}

test('leader, follower, snapshots and readers agree, whatever changes', () => {
  const key = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h');
  const action = fc.oneof(
    fc.record({
      changes: fc.array(fc.tuple(key, fc.option(fc.string({ maxLength: 3 }))), { maxLength: 4 }),
      lag: fc.constantFrom(0, 0, 0, 1),
    }),
    fc.record({ reader: fc.nat(2), bytesMax: fc.nat(10) }),
    fc.constant('restore' as const),
  );
  fc.assert(
    fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
      const cluster = new Cluster({ registryRemovalsMax: 2, registryEntriesMax: 6 });
      let follower = ClusterMachine.empty('vci_test');
      const readers = [new Reader(), new Reader(), new Reader()];
      let model = new Map<string, string>();
      let revision = 0;
      for (const act of actions) {
        if (act === 'restore') {
          cluster.machine = ClusterMachine.restore(cluster.saved(), cluster.limits);
          follower = ClusterMachine.restore(Buffer.concat(follower.save()));
        } else if ('reader' in act) {
          readers[act.reader]!.read(cluster.machine, act.bytesMax);
        } else {
          const next = new Map(model);
          for (const [changed, value] of act.changes) {
            if (value === null) next.delete(changed);
            else next.set(changed, value);
          }
          const changes = act.changes.map(([changed, value]) =>
            value === null ? removed(changed) : put(changed, value),
          );
          const journaled = cluster.journal.length;
          const result = change(cluster, revision - act.lag, ...changes);
          for (const entry of cluster.journal.slice(journaled)) follower.apply(entry);
          const isRefused = next.size > 6 && next.size > model.size;
          assert.equal(
            result.error,
            act.lag > 0 ? 'STALE' : isRefused ? 'POLICY_VIOLATION' : 'NONE',
            result.message!,
          );
          if (result.error === 'NONE') model = next;
          assert.ok(result.error === 'NONE' || result.revision === revision);
          revision = result.revision;
        }
      }
      assert.ok(Buffer.concat(follower.save()).equals(cluster.saved()));
      for (const reader of [...readers, new Reader()]) {
        do reader.read(cluster.machine, 3);
        while (!reader.isWhole);
        assert.deepEqual(new Map([...reader.entries].sort()), new Map([...model].sort()));
        assert.equal(reader.revision, revision);
      }
    }),
  );
});

test('changes since a revision are found without a look at the others', () => {
  const cluster = new Cluster();
  const changes = Array.from({ length: 20_000 }, (_, index) => put(`key ${index}`, 'x'));
  change(cluster, 0, ...changes);
  // Entries change again and again: the order has no more places than twice the entries.
  let revision = 20_000;
  for (let round = 0; round < 3; round++)
    revision = change(cluster, revision, ...changes.map(({ key }) => put(key, String(round)))).revision;
  const page = cluster.machine.readRegistry({ afterRevision: revision - 2, startRevision: 1, bytesMax: 100 });
  assert.deepEqual(
    page.entries.map(({ key }) => key),
    ['key 19998', 'key 19999'],
  );
});

test('readers of before a restore that lost changes read everything anew', () => {
  const cluster = new Cluster();
  change(cluster, 0, put('a', '1'), put('b', '1'));
  change(cluster, 2, removed('b'));
  cluster.machine.renewRegistry([put('a', '2')]);
  const { machine } = cluster;
  const revision = machine.registryRevision;
  assert.deepEqual(read(cluster, 0), {
    revision,
    entries: [[4, 'a', '2']],
    isComplete: true,
    restarts: false,
  });
  for (const afterRevision of [1, 2, 3, 4, 1000, revision - 1])
    assert.deepEqual(read(cluster, afterRevision, 1), {
      revision,
      entries: [[4, 'a', '2']],
      isComplete: true,
      restarts: true,
    });
  assert.equal(change(cluster, 3, put('a', '3')).error, 'STALE');
  const restored = ClusterMachine.restore(Buffer.concat(machine.save()));
  assert.equal(restored.registryRevision, revision);
  assert.equal(change(cluster, revision, put('a', '3')).revision, revision + 1);
});
