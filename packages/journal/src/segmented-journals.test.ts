import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLog } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import { journalContract } from '../testing/journal-contract.ts';
import { MemoryRecordLog } from '../testing/memory-record-log.ts';
import { DiskFull, Fenced, type Journal, type JournalHub } from './journal.ts';
import { MemoryDatabase, MemoryTables } from './memory-tables.ts';
import { checkpointMs, SegmentedJournals } from './segmented-journals.ts';
import { TableHub } from './table-journal.ts';

const database = new MemoryDatabase();
const shared = new MemoryRecordLog();
const sharedClock = new HandClock();
const sharedJournals = new SegmentedJournals(shared, { clock: sharedClock, log: silentLog });
sharedJournals.over(new TableHub(new MemoryTables(database), sharedClock));
await sharedJournals.begin();

// Hubs of one process share what is in segments and not in the database.
journalContract('segments', (clock) => sharedJournals.over(new TableHub(new MemoryTables(database), clock)));

interface Process {
  readonly clock: HandClock;
  readonly journals: SegmentedJournals;
  readonly hub: JournalHub;
  readonly journal: Journal;
  readonly database: Journal;
}

/** A process over a database and segments that outlive it. */
async function start(tables: MemoryDatabase, records: MemoryRecordLog): Promise<Process> {
  const clock = new HandClock();
  const journals = new SegmentedJournals(records, { clock, log: silentLog });
  const inner = new TableHub(new MemoryTables(tables), clock);
  const hub = journals.over(inner);
  await journals.recover();
  await journals.begin();
  return { clock, journals, hub, journal: hub.journal('c'), database: inner.journal('c') };
}

const lead = async ({ journal }: Process) => (await journal.acquireLease({ id: 'a', url: '' }, 3_000)).epoch!;
const texts = async (journal: Journal, from = 0) => (await journal.read(from, 100)).map(String);
const entries = (...names: string[]) => names.map((name) => Buffer.from(name));

test('entries are in segments at once, and in the database about a second later', async () => {
  const process = await start(new MemoryDatabase(), new MemoryRecordLog());
  const epoch = await lead(process);
  await process.journal.append(epoch, 0, entries('a', 'b'));
  await process.journal.append(epoch, 2, entries('c'));
  assert.deepEqual(await texts(process.journal), ['a', 'b', 'c']);
  assert.deepEqual(await texts(process.journal, 1), ['b', 'c']);
  assert.deepEqual(await texts(process.database), []);
  await process.clock.pass(checkpointMs);
  assert.deepEqual(await texts(process.database), ['a', 'b', 'c']);
  assert.deepEqual(await texts(process.journal), ['a', 'b', 'c']);
});

test('a process that starts after a crash finds every entry', async () => {
  const [tables, records] = [new MemoryDatabase(), new MemoryRecordLog()];
  const first = await start(tables, records);
  const epoch = await lead(first);
  await first.journal.append(epoch, 0, entries('a'));
  await first.clock.pass(checkpointMs);
  await first.journal.append(epoch, 1, entries('b', 'c'));
  await first.journal.append(epoch, 3, entries('d'));
  records.released = 0;

  const second = await start(tables, records);
  assert.deepEqual(await texts(second.database), ['a', 'b', 'c', 'd']);
  const next = await lead(second);
  assert.ok(next > epoch);
  await second.journal.append(next, 4, entries('e'));
  records.released = 0;
  const third = await start(tables, records);
  assert.deepEqual(await texts(third.journal), ['a', 'b', 'c', 'd', 'e']);
});

test('an orderly end leaves nothing in segments, and says so in the database', async () => {
  const tables = new MemoryDatabase();
  for (const hasFiles of [false, true]) {
    const records = new MemoryRecordLog();
    const process = await start(tables, records);
    assert.deepEqual(tables.segmentMark, { logId: 'log', hasEntries: true });
    const epoch = await lead(process);
    const { nextPosition } = await process.journal.head();
    const contents = hasFiles ? [{ key: 'file', slices: [Buffer.from('x')] }] : [];
    await process.journal.append(epoch, nextPosition, entries('last'), contents);
    await process.journals.end();
    assert.equal((await texts(process.database)).at(-1), 'last');
    assert.equal(records.released, records.lastSequence);
    assert.deepEqual(tables.segmentMark, hasFiles ? { logId: 'log', hasEntries: false } : undefined);
  }
});

test('a database whose last entries are in other segments is refused', async () => {
  const tables = new MemoryDatabase();
  await start(tables, new MemoryRecordLog());
  tables.segmentMark = { logId: 'another', hasEntries: true };
  await assert.rejects(start(tables, new MemoryRecordLog()), /segments that its bucket does not have/);
});

test('a database that is older than its segments is refused', async () => {
  const [tables, records] = [new MemoryDatabase(), new MemoryRecordLog()];
  const first = await start(tables, records);
  const epoch = await lead(first);
  await first.journal.append(epoch, 0, entries('a'));
  await first.clock.pass(checkpointMs);
  await first.journal.append(epoch, 1, entries('b'));
  // Of the database an earlier copy, without the first entry.
  tables.cluster('c').chunks.length = 0;
  tables.cluster('c').head = { ...tables.cluster('c').head, nextPosition: 0 };
  await assert.rejects(start(tables, records), /older than the segments/);
});

test('a failed append stored nothing and can be repeated; a full disk is named', async () => {
  const records = new MemoryRecordLog();
  const process = await start(new MemoryDatabase(), records);
  const epoch = await lead(process);
  records.failure = Object.assign(new Error('the disk is full'), { kind: 'full' });
  await assert.rejects(process.journal.append(epoch, 0, entries('a')), DiskFull);
  assert.equal(process.hub.isDiskFull(), true);
  await process.journal.append(epoch, 0, entries('a'));
  assert.deepEqual(await texts(process.journal), ['a']);
  await process.clock.pass(60_000);
  assert.equal(process.hub.isDiskFull(), false);
});

test('the database has every entry before the lease changes hands, and before a snapshot', async () => {
  const process = await start(new MemoryDatabase(), new MemoryRecordLog());
  const epoch = await lead(process);
  await process.journal.append(epoch, 0, entries('a'));
  await process.journal.saveSnapshot(1, [Buffer.from('snapshot')]);
  assert.deepEqual((await process.database.head()).nextPosition, 1);
  await process.journal.append(epoch, 1, entries('b'));
  const next = await lead(process);
  assert.deepEqual(await texts(process.database, 1), ['b']);
  await assert.rejects(process.journal.append(epoch, 2, entries('late')), Fenced);
  await process.journal.append(next, 2, entries('c'));
  await process.journal.releaseLease(next);
  assert.deepEqual(await texts(process.database, 1), ['b', 'c']);
  await assert.rejects(process.journal.append(next, 3, entries('late')), Fenced);
});

test('frames are released when no journal needs their entries', async () => {
  const records = new MemoryRecordLog();
  const { hub, journal, clock, ...rest } = await start(new MemoryDatabase(), records);
  const epoch = await lead({ hub, journal, clock, ...rest });
  const other = hub.journal('d');
  const { epoch: otherEpoch } = await other.acquireLease({ id: 'a', url: '' }, 3_000);
  await journal.append(epoch, 0, entries('a'));
  await other.append(otherEpoch!, 0, entries('b'));
  await journal.saveSnapshot(1, [Buffer.from('snapshot')]);
  assert.equal(records.released, 1);
  await hub.forget('d');
  assert.equal(records.released, 2);
});

test('the database names a log only when the bucket has it', async () => {
  class NoDisk extends MemoryRecordLog {
    override async begin(): Promise<void> {
      throw new Error('no disk');
    }
  }
  const tables = new MemoryDatabase();
  await assert.rejects(start(tables, new NoDisk()), /no disk/);
  assert.equal(tables.segmentMark, undefined);
});
