import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Log, silentLog } from '@weir/core';
import { HandClock, settle } from '@weir/core/testing';
import { controlPlaneLimits } from '../../limits.ts';
import type { AuditNote } from './audit-log.ts';
import { type AuditRead, auditReadOf } from './audit-read.ts';
import { AuditRefusals, refusalIntervalMs } from './audit-refusals.ts';

const refused: AuditNote = {
  accountId: 'ti_1',
  actor: { kind: 'api_key', id: 'aki_1', name: 'akn_1' },
  remoteAddress: '10.0.0.1',
  userAgent: '',
  operation: 'delete_topic',
  targets: ['vci_1'],
  result: 'forbidden',
};

interface Written extends AuditNote {
  count: number;
  /** What the repetitions read. */
  repeated?: AuditRead | undefined;
}

function stage() {
  const clock = new HandClock();
  const entries: Written[] = [];
  const warnings: unknown[] = [];
  const log: Log = { ...silentLog, warn: (message, fields) => void warnings.push([message, fields]) };
  let isAway = false;
  const refusals = new AuditRefusals({
    auditLog: {
      async append(notes) {
        if (isAway) throw new Error('the database is away');
        return notes.map((note) => String(entries.push({ ...note, count: 1 }) - 1));
      },
      async repeat(id, { times, targets, read }) {
        entries[Number(id)]!.count += times;
        entries[Number(id)] = { ...entries[Number(id)]!, targets, repeated: read };
      },
    },
    clock,
    log,
  });
  return {
    clock,
    entries,
    warnings,
    refusals,
    setAway(value: boolean) {
      isAway = value;
    },
    record: (note: Partial<AuditNote> = {}) => refusals.record({ ...refused, ...note }),
    async nextInterval() {
      clock.advance(refusalIntervalMs);
      await settle();
    },
  };
}

test('a thousand refusals of one kind are one entry per minute, with their count', async () => {
  const { clock, entries, record, nextInterval } = stage();
  await record();
  assert.equal(entries.length, 1, 'the first is written at once');
  for (let n = 1; n < 1_000; n++) await record({ targets: [`vci_${n % 3}`] });
  assert.deepEqual([entries.length, entries[0]!.count], [1, 1]);
  await nextInterval();
  assert.deepEqual([entries.length, entries[0]!.count], [1, 1_000]);
  assert.deepEqual([...entries[0]!.targets].sort(), ['vci_0', 'vci_1', 'vci_2']);
  assert.equal(clock.waiting, 0);
  await record();
  assert.deepEqual([entries.length, entries[1]!.count], [2, 1]);
});

test('callers, operations, reasons, workspaces and accounts have separate entries, and unknown callers one per address', async () => {
  const { entries, record } = stage();
  const stranger = { kind: 'anonymous', id: '', name: '' } as const;
  const kinds: Partial<AuditNote>[] = [
    {},
    { actor: { kind: 'api_key', id: 'aki_2', name: 'akn_2' } },
    { operation: 'create_topic' },
    { result: 'not_found' },
    { workspaceId: 'wi_1' },
    { accountId: 'ti_2' },
    { actor: stranger },
    { actor: stranger, remoteAddress: '10.0.0.2' },
  ];
  for (let n = 0; n < 3; n++) for (const kind of kinds) await record(kind);
  assert.equal(entries.length, kinds.length);
});

test('memory is bounded for any number of refusals, and the rest shares an entry', async () => {
  const { entries, refusals, record, nextInterval, warnings } = stage();
  const max = controlPlaneLimits.auditOpenRefusalsMax;
  const actor = (id: string) => ({ actor: { kind: 'api_key', id, name: '' } as const });
  for (let n = 0; n < max + 500; n++) await record(actor(`aki_${n}`));
  assert.deepEqual([refusals.size, entries.length], [max + 1, max + 1]);
  assert.deepEqual(entries.at(-1)!.actor, { kind: 'anonymous', id: '', name: 'several callers' });
  for (let n = 0; n < 2 * max; n++) await record({ ...actor(`aki_${n}`), operation: `operation_${n}` });
  assert.equal(refusals.size, 2 * max);
  await nextInterval();
  assert.equal(refusals.size, 0);
  assert.equal(entries[max]!.count, 500);
  assert.deepEqual(warnings, [['dropped refused calls from the audit log', { count: max + 1 }]]);
});

test('counts are written when the process ends, and failed writes are retried', async () => {
  const { clock, entries, refusals, record, setAway } = stage();
  setAway(true);
  await assert.rejects(record());
  assert.deepEqual([refusals.size, clock.waiting], [0, 0]);
  setAway(false);
  await record();
  await record();
  await refusals.close();
  assert.deepEqual([entries.length, entries[0]!.count, clock.waiting], [1, 2, 0]);
});

const read: AuditNote = {
  ...refused,
  operation: 'read_records',
  targets: ['vci_1', 'orders', 'ccun_1'],
  result: 'ok',
};

test('a live view is one entry per minute, with the number of its reads', async () => {
  const { entries, refusals, nextInterval } = stage();
  for (let n = 0; n < 30; n++) await refusals.recordRead(read);
  assert.deepEqual([entries.length, entries[0]!.count], [1, 1], 'the first is written at once');
  await nextInterval();
  assert.deepEqual([entries.length, entries[0]!.count], [1, 30]);
  assert.deepEqual(entries[0]!.targets, read.targets);
});

test('the pages of a search are one entry with the offsets of all of them', async () => {
  const { entries, refusals, nextInterval } = stage();
  for (const offset of [30, 20, 10])
    await refusals.recordRead({ ...read, read: auditReadOf([{ partition: 1, offset }], 5) });
  await nextInterval();
  assert.equal(entries.length, 1);
  assert.deepEqual(entries[0]!.read, auditReadOf([{ partition: 1, offset: 30 }], 5));
  assert.deepEqual(entries[0]!.repeated, {
    recordCount: 2,
    scannedCount: 10,
    partitions: [{ partition: 1, firstOffset: 10, lastOffset: 20 }],
    otherPartitionCount: 0,
  });
});

test('reads of other topics, as other users or by other callers are entries of their own', async () => {
  const { entries, refusals } = stage();
  const others: readonly Partial<AuditNote>[] = [
    {},
    { targets: ['vci_1', 'users', 'ccun_1'] },
    { targets: ['vci_1', 'orders', 'ccun_2'] },
    { remoteAddress: '10.0.0.2' },
    { userAgent: 'curl' },
    { actor: { kind: 'user', id: 'ui_1', name: 'ada' } },
  ];
  for (const note of others) await refusals.recordRead({ ...read, ...note });
  assert.equal(entries.length, others.length);
});

test('with too many callers at a time, each read is an entry with its caller', async () => {
  const { entries, refusals } = stage();
  const { auditOpenRefusalsMax: max } = controlPlaneLimits;
  for (let n = 0; n < max; n++) await refusals.recordRead({ ...read, targets: [`topic-${n}`] });
  for (let n = 0; n < 3; n++) await refusals.recordRead(read);
  assert.deepEqual(
    entries.slice(max).map(({ actor, targets }) => [actor.id, targets]),
    Array.from({ length: 3 }, () => ['aki_1', read.targets]),
  );
});
