import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TableMetadata } from '@weir/iceberg';
import { TestTable } from '../../testing/test-table.ts';
import type { MaintenanceSettings } from './maintenance.ts';
import { type MaintenanceStep, maintenanceDue } from './maintenance-due.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const startMs = Date.UTC(2026, 0, 1);
const columns = [{ name: 'id', isRequired: false, type: { kind: 'long' } as const }];

interface SnapshotInShort {
  readonly atMs: number;
  readonly operation?: 'append' | 'replace' | 'delete';
  readonly files?: number;
  readonly bytes?: number;
  readonly records?: number;
}

/** Metadata of a table with a history, the oldest first. */
function tableWith(
  base: TableMetadata,
  history: readonly SnapshotInShort[],
  properties: Readonly<Record<string, string>> = {},
): TableMetadata {
  const snapshots = history.map(
    ({ atMs, operation = 'append', files = 1, bytes = 1000, records = 5 }, at) => ({
      id: BigInt(at + 1),
      parentId: at === 0 ? undefined : BigInt(at),
      sequenceNumber: BigInt(at + 1),
      timestampMs: startMs + atMs,
      manifestList: `l${at}`,
      operation,
      summary: {
        'added-data-files': String(files),
        'added-files-size': String(bytes),
        'total-records': String(records),
      },
    }),
  );
  const last = snapshots.at(-1);
  return {
    ...base,
    snapshots,
    properties,
    refs: last === undefined ? {} : { main: { type: 'branch', snapshotId: last.id } },
  };
}

const appends = (count: number, parts: Partial<SnapshotInShort> = {}) =>
  Array.from({ length: count }, (_, at): SnapshotInShort => ({ atMs: at * 60_000, ...parts }));

const cleanedAt = (ms: number) => ({ 'service.cleaned-up-at-ms': String(startMs + ms) });

interface Case {
  readonly name: string;
  readonly history: readonly SnapshotInShort[];
  readonly nowMs: number;
  readonly properties?: Readonly<Record<string, string>>;
  readonly retentionMs?: number;
  readonly lastRunMs?: number;
  readonly due: readonly MaintenanceStep[];
}

const cases: readonly Case[] = [
  { name: 'no snapshot', history: [], nowMs: dayMs, due: [] },
  { name: 'a new table', history: appends(3), nowMs: hourMs, due: [] },
  { name: 'many small appends', history: appends(20), nowMs: hourMs, due: ['compaction'] },
  { name: 'many large appends', history: appends(20, { bytes: 100_000_000 }), nowMs: hourMs, due: [] },
  {
    name: 'large appends of a table with larger files',
    history: appends(20, { bytes: 100_000_000 }),
    nowMs: hourMs,
    properties: { 'write.target-file-size-bytes': '500000000' },
    due: ['compaction'],
  },
  {
    name: 'compacted since',
    history: [...appends(20), { atMs: 1_300_000, operation: 'replace' }, { atMs: 1_400_000 }],
    nowMs: hourMs,
    due: [],
  },
  {
    name: 'manifests rewritten since',
    history: [...appends(20), { atMs: 1_300_000, operation: 'replace', files: 0 }],
    nowMs: hourMs,
    due: ['compaction'],
  },
  { name: 'looked for since', history: appends(20), nowMs: hourMs, lastRunMs: 600_000, due: [] },
  { name: 'a day later', history: appends(3), nowMs: dayMs + hourMs, due: ['clean-up'] },
  {
    name: 'cleaned up today',
    history: appends(3),
    nowMs: dayMs + 2 * hourMs,
    properties: cleanedAt(dayMs + hourMs),
    due: [],
  },
  {
    name: 'in use lately',
    history: appends(1),
    nowMs: 4 * dayMs,
    properties: cleanedAt(3 * dayMs),
    due: ['clean-up'],
  },
  { name: 'idle', history: appends(1), nowMs: 300 * dayMs, properties: cleanedAt(5 * dayMs), due: [] },
  {
    name: 'snapshots to expire, of an idle table',
    history: appends(2),
    nowMs: 6 * dayMs,
    properties: cleanedAt(5 * dayMs - hourMs),
    due: ['clean-up'],
  },
  {
    name: 'many snapshots to expire',
    history: [...appends(120, { files: 0 }), { atMs: 6 * dayMs, files: 0 }],
    nowMs: 6 * dayMs,
    properties: cleanedAt(6 * dayMs - hourMs),
    due: ['expiry'],
  },
  {
    name: 'too many snapshots, however young',
    history: appends(2100, { files: 0, atMs: 0 }),
    nowMs: 60_000,
    due: ['expiry'],
  },
  { name: 'retention', history: appends(1), nowMs: 4 * hourMs, retentionMs: 2 * dayMs, due: ['retention'] },
  { name: 'retention later', history: appends(1), nowMs: 2 * hourMs, retentionMs: 2 * dayMs, due: [] },
  {
    name: 'retention, looked after',
    history: appends(1),
    nowMs: 4 * hourMs,
    retentionMs: 2 * dayMs,
    lastRunMs: 3 * hourMs,
    due: [],
  },
  { name: 'short retention', history: appends(1), nowMs: 4 * 60_000, retentionMs: 1000, due: [] },
  {
    name: 'no rows to retain',
    history: appends(1, { records: 0 }),
    nowMs: hourMs,
    retentionMs: 1000,
    due: [],
  },
];

test('what is due is known from metadata alone', async (t) => {
  const table = await TestTable.create(columns);
  t.after(() => table.close());
  const base = await table.metadata();
  for (const { name, history, nowMs, properties, retentionMs, lastRunMs, due } of cases) {
    const settings: MaintenanceSettings = {
      compression: 'zstd',
      retention: retentionMs === undefined ? undefined : { column: 'kafka_timestamp', ms: retentionMs },
    };
    const found = maintenanceDue(tableWith(base, history, properties), {
      settings,
      nowMs: startMs + nowMs,
      lastRunMs: lastRunMs === undefined ? undefined : startMs + lastRunMs,
    });
    assert.deepEqual(found, due, name);
  }
});
