import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { HandClock } from '@weir/core/testing';
import { EntriesPruned, Fenced, type Journal, type JournalHub } from '../src/journal.ts';
import { journalLimits } from '../src/limits.ts';

const a = { id: 'a', url: 'http://a' };
const b = { id: 'b', url: 'http://b' };
const ttlMs = 3_000;

const bytes = (text: string) => Buffer.from(text);
const texts = (entries: readonly Buffer[]) => entries.map(String);

async function epochOf(journal: Journal, holder = a): Promise<number> {
  const { epoch } = await journal.acquireLease(holder, ttlMs);
  assert.ok(epoch !== undefined, 'the lease was free');
  return epoch;
}

/** The contract of every journal driver. `open` opens the same database each time, with a clock of the caller's. */
export function journalContract(driver: string, open: (clock: HandClock) => JournalHub): void {
  function contract(
    name: string,
    run: (hub: JournalHub, clock: HandClock, clusterId: string) => Promise<void>,
  ) {
    test(`${driver}: ${name}`, async () => {
      const clock = new HandClock();
      const hub = open(clock);
      try {
        await run(hub, clock, randomUUID());
      } finally {
        await hub.close();
      }
    });
  }

  contract('entries are read in order, from any position', async (hub, _, clusterId) => {
    const journal = hub.journal(clusterId);
    const epoch = await epochOf(journal);
    assert.deepEqual(await journal.read(0, 10), []);
    await journal.append(epoch, 0, [bytes('zero'), bytes(''), bytes('two')]);
    await journal.append(epoch, 3, [bytes('three')]);
    await journal.append(epoch, 4, [bytes('four'), bytes('five')]);
    const all = ['zero', '', 'two', 'three', 'four', 'five'];
    for (let from = 0; from <= 6; from++) {
      for (const limit of [1, 2, 100]) {
        assert.deepEqual(texts(await journal.read(from, limit)), all.slice(from, from + limit));
      }
    }
    assert.deepEqual(await journal.read(7, 10), []);
  });

  contract('entries outlive the process that wrote them', async (hub, clock, clusterId) => {
    const journal = hub.journal(clusterId);
    const large = Buffer.alloc(3_000_000, 7);
    await journal.append(await epochOf(journal), 0, [bytes('small'), large]);
    const other = open(clock);
    assert.deepEqual(await other.journal(clusterId).read(0, 10), [bytes('small'), large]);
    await other.close();
  });

  contract('the memory of an entry stays with the caller', async (hub, _, clusterId) => {
    const journal = hub.journal(clusterId);
    const entry = bytes('mine');
    await journal.append(await epochOf(journal), 0, [entry]);
    assert.equal(String(entry), 'mine');
    entry.fill(0);
    assert.deepEqual(texts(await journal.read(0, 1)), ['mine']);
  });

  contract('clusters do not see each other', async (hub, _, clusterId) => {
    const one = hub.journal(clusterId);
    const two = hub.journal(`${clusterId}-2`);
    await one.append(await epochOf(one), 0, [bytes('one')]);
    await two.append(await epochOf(two), 0, [bytes('two')]);
    assert.deepEqual(texts(await one.read(0, 10)), ['one']);
    assert.deepEqual(texts(await two.read(0, 10)), ['two']);
  });

  contract('an append needs the newest epoch and the next position', async (hub, clock, clusterId) => {
    const journal = hub.journal(clusterId);
    const old = await epochOf(journal);
    await journal.append(old, 0, [bytes('first')]);
    await assert.rejects(journal.append(old, 2, [bytes('gap')]), Fenced);
    await assert.rejects(journal.append(old + 1, 1, [bytes('never given')]), Fenced);

    const other = open(clock);
    const taker = other.journal(clusterId);
    await taker.acquireLease(b, ttlMs);
    await clock.pass(ttlMs);
    const epoch = await epochOf(taker, b);
    assert.ok(epoch > old);
    await assert.rejects(journal.append(old, 1, [bytes('late')]), Fenced);
    await assert.rejects(journal.renewLease(old), Fenced);
    await taker.append(epoch, 1, [bytes('second')]);
    await assert.rejects(journal.append(old, 0, [bytes('first')]), Fenced);
    assert.deepEqual(texts(await journal.read(0, 10)), ['first', 'second']);
    await other.close();
  });

  contract('an append whose answer was lost can be repeated', async (hub, _, clusterId) => {
    const journal = hub.journal(clusterId);
    const epoch = await epochOf(journal);
    await journal.append(epoch, 0, [bytes('once'), bytes('twice')]);
    await journal.append(epoch, 0, [bytes('once'), bytes('twice')]);
    await assert.rejects(journal.append(epoch, 0, [bytes('other')]), Fenced);
    assert.deepEqual(texts(await journal.read(0, 10)), ['once', 'twice']);
  });

  contract('one of two appends at the same position is stored', async (hub, clock, clusterId) => {
    const journal = hub.journal(clusterId);
    const old = await epochOf(journal);
    const other = open(clock);
    const taker = other.journal(clusterId);
    await taker.acquireLease(b, ttlMs);
    await clock.pass(ttlMs);
    const [appended, taken] = await Promise.allSettled([
      journal.append(old, 0, [bytes('old')]),
      epochOf(taker, b),
    ]);
    assert.equal(taken.status, 'fulfilled');
    const found = texts(await taker.read(0, 10));
    assert.deepEqual(found, appended.status === 'fulfilled' ? ['old'] : []);
    await other.close();
  });

  contract('the lease is taken once, and again when it was not renewed', async (hub, clock, clusterId) => {
    const journal = hub.journal(clusterId);
    const other = open(clock);
    const waiting = other.journal(clusterId);
    const epoch = await epochOf(journal);
    for (let renewal = 0; renewal < 3; renewal++) {
      const refused = await waiting.acquireLease(b, ttlMs);
      assert.ok(refused.epoch === undefined);
      assert.deepEqual(refused.heldBy, a);
      assert.equal(refused.retryInMs, ttlMs);
      await clock.pass(ttlMs - 1);
      assert.equal((await waiting.acquireLease(b, ttlMs)).epoch, undefined);
      await journal.renewLease(epoch);
      await clock.pass(1);
    }
    assert.equal((await waiting.acquireLease(b, ttlMs)).epoch, undefined);
    await clock.pass(ttlMs);
    assert.ok((await epochOf(waiting, b)) > epoch);
    const refused = await journal.acquireLease(a, ttlMs);
    assert.ok(refused.epoch === undefined && refused.heldBy.id === 'b');
    await other.close();
  });

  contract(
    'a process that watched for too short a time does not take the lease',
    async (hub, clock, clusterId) => {
      await epochOf(hub.journal(clusterId));
      await clock.pass(10 * ttlMs);
      const late = await hub.journal(clusterId).acquireLease(b, ttlMs);
      assert.ok(late.epoch === undefined);
      assert.equal(late.retryInMs, ttlMs);
    },
  );

  contract('one of many requests for a free lease gets it', async (hub, _, clusterId) => {
    const journals = Array.from({ length: 8 }, () => hub.journal(clusterId));
    const answers = await Promise.all(
      journals.map((journal, i) => journal.acquireLease({ id: `p${i}`, url: '' }, ttlMs)),
    );
    assert.equal(answers.filter(({ epoch }) => epoch !== undefined).length, 1);
  });

  contract('a released lease is free at once, and its epoch is over', async (hub, _, clusterId) => {
    const journal = hub.journal(clusterId);
    const epoch = await epochOf(journal);
    await journal.releaseLease(epoch);
    await assert.rejects(journal.append(epoch, 0, [bytes('late')]), Fenced);
    await assert.rejects(journal.renewLease(epoch), Fenced);
    const next = await epochOf(journal, b);
    assert.ok(next > epoch);
    await journal.releaseLease(epoch);
    await journal.renewLease(next);
  });

  contract('leases of many clusters are renewed together, each for itself', async (hub, clock, clusterId) => {
    const journals = Array.from({ length: journalLimits.gatheredLeasesMax + 10 }, (_, number) =>
      hub.journal(`${clusterId}-${number}`),
    );
    const epochs = await Promise.all(journals.map((journal) => epochOf(journal)));
    const other = open(clock);
    const watching = journals.map((_, number) => other.journal(`${clusterId}-${number}`));
    const acquireAll = () => Promise.all(watching.map((journal) => journal.acquireLease(b, ttlMs)));
    const count = async () => (await acquireAll()).filter(({ epoch }) => epoch !== undefined).length;
    assert.equal(await count(), 0);
    await journals[3]!.releaseLease(epochs[3]!);
    const ended = await Promise.allSettled(
      journals.map((journal, number) => journal.renewLease(epochs[number]! + (number === 7 ? 1 : 0))),
    );
    for (const [number, outcome] of ended.entries()) {
      if (number !== 3 && number !== 7) assert.equal(outcome.status, 'fulfilled', String(number));
      else assert.ok(outcome.status === 'rejected' && outcome.reason instanceof Fenced);
    }
    await clock.pass(ttlMs - 1);
    assert.equal(await count(), 1, 'the released one');
    await clock.pass(1);
    assert.equal(await count(), 2, 'and the one that was not renewed');
    await other.close();
  });

  contract('reading the head of a cluster without a leader stores nothing', async (hub, _, clusterId) => {
    const journal = hub.journal(clusterId);
    assert.deepEqual(await journal.read(0, 1), []);
    await assert.rejects(journal.append(1, 0, [bytes('early')]), Fenced);
    await assert.rejects(journal.renewLease(0), Fenced);
    await journal.append(await epochOf(journal), 0, [bytes('first')]);
  });

  contract(
    'a free lease is left to others for as long as they are waited for',
    async (hub, clock, clusterId) => {
      const journal = hub.journal(clusterId);
      const waiting = hub.journal(clusterId);
      const lastHolders: (string | undefined)[] = [];
      const grace = (lastHolderId: string | undefined) => {
        lastHolders.push(lastHolderId);
        return 500;
      };
      const acquireOther = async () => {
        const answer = await waiting.acquireLease(b, ttlMs, grace);
        return answer.epoch === undefined ? answer.retryInMs : 'taken';
      };
      assert.equal(await acquireOther(), 500, 'the lease was never held');
      const epoch = await epochOf(journal);
      assert.equal(await acquireOther(), ttlMs);
      await journal.releaseLease(epoch);
      assert.equal(await acquireOther(), 500);
      await clock.pass(499);
      assert.equal(await acquireOther(), 1);
      await clock.pass(1);
      assert.equal(await acquireOther(), 'taken');
      assert.deepEqual(lastHolders, [undefined, 'a', 'a', 'a']);
      assert.equal(await acquireOther(), 'taken', 'the last holder does not wait');
      await clock.pass(ttlMs);
      assert.equal((await journal.acquireLease(a, ttlMs, grace)).epoch, undefined);
      await clock.pass(ttlMs);
      assert.equal((await journal.acquireLease(a, ttlMs, grace)).epoch, undefined);
      assert.equal(lastHolders.at(-1), 'b', 'b was the last holder');
      await clock.pass(500);
      assert.ok((await journal.acquireLease(a, ttlMs, grace)).epoch !== undefined);
    },
  );

  contract('a restarted process gets its own lease at once', async (hub, _, clusterId) => {
    const journal = hub.journal(clusterId);
    const epoch = await epochOf(journal);
    assert.ok((await epochOf(hub.journal(clusterId))) > epoch);
    await assert.rejects(journal.append(epoch, 0, [bytes('late')]), Fenced);
  });

  contract('snapshots are read back unchanged, the newest first', async (hub, _, clusterId) => {
    const journal = hub.journal(clusterId);
    assert.equal(await journal.loadSnapshot(), undefined);
    assert.equal(await journal.snapshotPosition(), 0);
    const large = Buffer.alloc(2_500_000, 1);
    await journal.saveSnapshot(2, [bytes('two '), bytes('slices')]);
    await journal.saveSnapshot(5, [large, bytes('end')]);
    assert.equal(await journal.snapshotPosition(), 5);
    assert.deepEqual(await journal.loadSnapshot(), {
      position: 5,
      bytes: Buffer.concat([large, bytes('end')]),
    });
    assert.deepEqual(await journal.loadSnapshot(4), { position: 2, bytes: bytes('two slices') });
    assert.equal(await journal.loadSnapshot(1), undefined);
  });

  contract(
    'a snapshot can be read slice by slice, unless it is pruned meanwhile',
    async (hub, _, clusterId) => {
      const journal = hub.journal(clusterId);
      assert.equal(await journal.openSnapshot(), undefined);
      const content = [Buffer.alloc(2_500_000, 1), Buffer.alloc(0), bytes('end')];
      const expected = Buffer.concat(content);
      await journal.saveSnapshot(2, content);
      const opened = (await journal.openSnapshot())!;
      const found: Uint8Array[] = [];
      for await (const slice of opened.slices) found.push(slice);
      assert.ok(found.length > 2, `${found.length} slices`);
      assert.deepEqual(Buffer.concat(found), expected);
      assert.deepEqual([opened.position, opened.byteCount], [2, 2_500_003]);

      const replaced = (await journal.openSnapshot())!;
      await journal.saveSnapshot(3, [bytes('three')]);
      await journal.saveSnapshot(4, [bytes('four')]);
      await assert.rejects(async () => {
        for await (const _slice of replaced.slices);
      }, /has 0 bytes, not 2500003/);
    },
  );

  contract('a snapshot prunes what its predecessor made obsolete', async (hub, _, clusterId) => {
    const journal = hub.journal(clusterId);
    const epoch = await epochOf(journal);
    for (let first = 0; first < 12; first += 2) {
      await journal.append(epoch, first, [bytes(`${first}`), bytes(`${first + 1}`)]);
    }
    await journal.saveSnapshot(5, [bytes('five')]);
    assert.deepEqual(texts(await journal.read(0, 1)), ['0']);
    await journal.saveSnapshot(8, [bytes('eight')]);
    await assert.rejects(journal.read(0, 1), EntriesPruned);
    assert.deepEqual(texts(await journal.read(5, 2)), ['5', '6']);
    await journal.saveSnapshot(12, [bytes('twelve')]);
    assert.equal(await journal.loadSnapshot(5), undefined);
    assert.deepEqual((await journal.loadSnapshot(8))?.position, 8);
    await assert.rejects(journal.read(7, 1), EntriesPruned);
    assert.deepEqual(texts(await journal.read(8, 9)), ['8', '9', '10', '11']);
    await journal.saveSnapshot(12, [bytes('twelve again')]);
    await assert.rejects(journal.read(11, 1), EntriesPruned);
    assert.deepEqual(await journal.read(12, 1), []);
    await journal.append(epoch, 12, [bytes('12')]);
    assert.deepEqual(texts(await journal.read(12, 1)), ['12']);
  });

  contract('appends get through while a snapshot is saved', async (hub, _, clusterId) => {
    const journal = hub.journal(clusterId);
    const epoch = await epochOf(journal);
    await journal.append(epoch, 0, [bytes('0')]);
    const saved = journal.saveSnapshot(1, [Buffer.alloc(5_000_000)]);
    for (let position = 1; position < 20; position++) await journal.append(epoch, position, [bytes('x')]);
    await saved;
    assert.equal((await journal.loadSnapshot())?.bytes.length, 5_000_000);
    assert.equal((await journal.read(1, 100)).length, 19);
  });

  contract('the note is that of the newest leader', async (hub, _, clusterId) => {
    const journal = hub.journal(clusterId);
    assert.equal(await journal.readNote(), undefined);
    const old = await epochOf(journal);
    await journal.leaveNote(old, bytes('old'));
    const epoch = await epochOf(journal);
    await journal.leaveNote(old, bytes('late'));
    assert.deepEqual(await journal.readNote(), bytes('old'));
    await journal.leaveNote(epoch, bytes('new'));
    assert.deepEqual(await journal.readNote(), bytes('new'));
  });

  contract(
    'a watcher in the same hub is notified of appends and of a free lease',
    async (hub, _, clusterId) => {
      const journal = hub.journal(clusterId);
      let notified = 0;
      const stop = hub.journal(clusterId).watch(() => notified++);
      const epoch = await epochOf(journal);
      await journal.append(epoch, 0, [bytes('news')]);
      const afterAppend = notified;
      assert.ok(afterAppend > 0);
      await journal.releaseLease(epoch);
      assert.ok(notified > afterAppend);
      stop();
      const before = notified;
      await journal.append(await epochOf(journal), 1, [bytes('more')]);
      assert.equal(notified, before);
    },
  );

  contract('a deleted cluster leaves nothing behind', async (hub, _, clusterId) => {
    const journal = hub.journal(clusterId);
    const epoch = await epochOf(journal);
    await journal.append(epoch, 0, [bytes('one'), bytes('two')]);
    await journal.saveSnapshot(1, [bytes('snapshot')]);
    await journal.leaveNote(epoch, bytes('note'));
    assert.equal(await hub.isEmpty(), false);
    await hub.forget(clusterId);
    await assert.rejects(journal.append(epoch, 2, [bytes('late')]), Fenced);
    const recreated = hub.journal(clusterId);
    assert.deepEqual(await recreated.read(0, 10), []);
    assert.equal(await recreated.loadSnapshot(), undefined);
    assert.equal(await recreated.readNote(), undefined);
    await recreated.append(await epochOf(recreated), 0, [bytes('first')]);
    assert.deepEqual(await recreated.read(0, 10), [bytes('first')]);
  });

  contract('members are those whose announcements change', async (hub, clock, clusterId) => {
    const one = { id: `${clusterId}-1`, url: 'http://one' };
    const two = { id: `${clusterId}-2`, url: 'http://two' };
    const ours = async () => (await hub.members()).filter(({ id }) => id.startsWith(clusterId));
    await hub.announce(one);
    await hub.announce(two);
    assert.deepEqual(await ours(), [one, two]);
    await clock.pass(9_000);
    await hub.announce(two);
    assert.deepEqual(await ours(), [one, two]);
    await clock.pass(9_000);
    assert.deepEqual(await ours(), [two]);
    await hub.withdraw(two.id);
    assert.deepEqual(await ours(), []);
  });
}
