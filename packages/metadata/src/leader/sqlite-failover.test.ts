import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { silentLog } from '@weir/core';
import { openJournals } from '@weir/journal';
import { failoverOverRealTime } from '../../testing/real-failover.ts';
import { sharingOverRealTime } from '../../testing/real-sharing.ts';

test('SQLite: a standby continues where a leader was killed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-failover-'));
  await failoverOverRealTime((clock) => openJournals(join(folder, 'weir.db'), { clock, log: silentLog }));
  rmSync(folder, { recursive: true });
});

test('SQLite: two processes share clusters, and one takes over from the other', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-sharing-'));
  await sharingOverRealTime((clock) => openJournals(join(folder, 'weir.db'), { clock, log: silentLog }));
  rmSync(folder, { recursive: true });
});
