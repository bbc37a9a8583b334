import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { NewerFormat } from '@weir/cluster';
import { fileBucketMax, fileIdLevelMax, silentLog, systemClock } from '@weir/core';
import { ClusterMachine, snapshotVersion } from '@weir/machine';
import { entryKind, namespaces, partNumbers } from '@weir/machine/testing';
import { checkJournalFile, journalFormat } from './format.ts';
import { openJournals } from './open.ts';
import { rowVersion } from './packed-entries.ts';

function databasePath(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'weir-format-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return join(directory, 'weir.db');
}

/** A database with an entry and a snapshot, as this release writes it. */
async function writtenDatabase(t: TestContext): Promise<string> {
  const path = databasePath(t);
  const hub = openJournals(path, { clock: systemClock, log: silentLog });
  const journal = hub.journal('c');
  const lease = await journal.acquireLease({ id: 'one', url: '' }, 1000);
  await journal.append(lease.epoch!, 0, [Buffer.from('entry')]);
  const saving = ClusterMachine.empty('c').beginSave();
  await journal.saveSnapshot(1, saving.slices);
  saving.end();
  await hub.close();
  return path;
}

function change(path: string, statement: string): void {
  using database = new DatabaseSync(path);
  database.exec(statement);
}

const refuses = (path: string, message: RegExp) => {
  assert.throws(
    () => checkJournalFile(path),
    (error: unknown) => {
      assert.ok(error instanceof NewerFormat, String(error));
      assert.match(error.message, message);
      return true;
    },
  );
};

test('the written bytes match the declared format', () => {
  // A change of one of these is a new format: raise `journalFormat`, and record here what it consists of.
  assert.deepEqual(
    {
      journalFormat,
      rowVersion,
      snapshotVersion,
      partNumbers,
      entryKinds: Object.values(entryKind),
      namespaces: Object.values(namespaces).map(({ number }) => number),
      fileIds: { fileIdLevelMax, fileBucketMax },
    },
    {
      journalFormat: 10,
      rowVersion: 1,
      snapshotVersion: 2,
      partNumbers: [1, 10, 11, 12, 20, 30, 40, 41, 43, 44, 60, 70],
      entryKinds: [
        1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 20, 21, 22, 23, 24, 25, 26, 27, 28, 30, 31, 32, 33, 34, 40,
        41, 42, 43, 46, 49, 50, 51, 52, 53, 54, 60, 70, 71, 72, 73, 74,
      ],
      namespaces: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 30, 31, 32, 33],
      fileIds: { fileIdLevelMax: 7, fileBucketMax: 255 },
    },
  );
});

test('a database of this release is accepted, and one of an earlier release gets the number', async (t) => {
  const path = await writtenDatabase(t);
  checkJournalFile(path);
  change(path, 'PRAGMA user_version = 0');
  checkJournalFile(path);
  const hub = openJournals(path, { clock: systemClock, log: silentLog });
  assert.deepEqual(await hub.journal('c').read(0, 10), [Buffer.from('entry')]);
  await hub.close();
  using database = new DatabaseSync(path);
  assert.equal(database.prepare('PRAGMA user_version').get()!.user_version, journalFormat);
});

test('newer formats, rows and snapshots are refused with both numbers', async (t) => {
  const path = await writtenDatabase(t);
  change(path, 'PRAGMA user_version = 11');
  refuses(
    path,
    /^written by a newer release \(journal format 11, this release reads up to 10\); start that release/,
  );
  change(path, 'PRAGMA user_version = 4');
  change(path, "UPDATE journal_chunks SET packed = x'0900000000'");
  refuses(path, /version of journal rows 9, this release reads up to 1/);
  change(path, "UPDATE journal_chunks SET packed = x'0100000000'");
  const newer = Buffer.concat([Buffer.from('WEIRCLUS'), Buffer.from(Uint32Array.of(0x01020304, 5).buffer)]);
  change(path, `UPDATE journal_slices SET bytes = x'${newer.toString('hex')}' WHERE slice = 0`);
  refuses(path, /snapshot version 5, this release reads up to 2/);
});

test('the journal thread does not change a database of a newer format', async (t) => {
  const path = await writtenDatabase(t);
  change(path, 'PRAGMA user_version = 11; DROP TABLE journal_notes');
  const hub = openJournals(path, { clock: systemClock, log: silentLog });
  await assert.rejects(hub.journal('c').read(0, 1), /written by a newer release \(journal format 11/);
  await hub.close();
  using database = new DatabaseSync(path);
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE name = 'journal_notes'").all();
  assert.deepEqual(tables, []);
});
