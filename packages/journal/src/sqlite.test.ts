import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { silentLog, systemClock } from '@weir/core';
import { journalContract } from '../testing/journal-contract.ts';
import { openJournals } from './open.ts';

const folder = mkdtempSync(join(tmpdir(), 'weir-journal-'));
after(() => rmSync(folder, { recursive: true }));

journalContract('SQLite', (clock) => openJournals(join(folder, 'journal.db'), { clock, log: silentLog }));

test('SQLite: a path that cannot be opened fails the calls, not the process', async () => {
  const hub = openJournals(folder, { clock: systemClock, log: silentLog });
  await assert.rejects(hub.journal('c').read(0, 1), /unable to open database file/);
  await hub.close();
});

test('SQLite: the directory of the file is created', async () => {
  const hub = openJournals(join(folder, 'new', 'folder', 'weir.db'), { clock: systemClock, log: silentLog });
  assert.deepEqual(await hub.journal('c').read(0, 1), []);
  await hub.close();
});

test('SQLite: calls after close are refused', async () => {
  const hub = openJournals(join(folder, 'closed.db'), { clock: systemClock, log: silentLog });
  await hub.close();
  await assert.rejects(hub.journal('c').read(0, 1), /it was closed/);
});
