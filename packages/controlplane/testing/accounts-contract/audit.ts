import assert from 'node:assert/strict';
import { seededRandom } from '@weir/core';
import fc from 'fast-check';
import type { AuditNote, AuditSearch } from '../../src/accounts/audit/audit-log.ts';
import { controlPlaneLimits } from '../../src/limits.ts';
import { note, refused, type Stage } from './stage.ts';

export function auditContract({ contract }: Stage): void {
  contract('an audit entry is read as it was written, within limits', async ({ auditLog, deps }) => {
    const timeMs = deps.clock.nowMs();
    const written = {
      ...note,
      changes: [{ name: 'retention.ms', before: null, after: '1' }],
      message: 'why',
      via: 'mcp' as const,
    };
    await auditLog.append([written]);
    const { entries, nextCursor } = await auditLog.search({ accountId: 'ti_1' });
    assert.match(entries[0]!.id, /^aei_/);
    assert.deepEqual(entries, [{ ...written, id: entries[0]!.id, timeMs, count: 1 }]);
    assert.equal(nextCursor, undefined);

    const long = `\u0000${'x'.repeat(100_000)}`;
    await auditLog.append([
      {
        ...note,
        accountId: 'ti_2',
        actor: { kind: 'anonymous', id: '', name: long },
        remoteAddress: long,
        userAgent: `${'x'.repeat(controlPlaneLimits.userAgentCharsMax - 1)}😀`,
        operation: long,
        targets: Array.from({ length: 1_000 }, (_, n) => `${n}${long}`),
        result: long,
        message: long,
      },
    ]);
    const [bounded] = (await auditLog.search({ accountId: 'ti_2' })).entries;
    assert.ok(JSON.stringify(bounded).length < 20_000);
    assert.equal(bounded!.targets.length, controlPlaneLimits.auditTargetsMax);
    assert.equal(bounded!.userAgent.isWellFormed(), true);
    for (const cursor of ['', 'x', 'MTIz', Buffer.from('1.aei_1 OR 1').toString('base64url')])
      await refused(auditLog.search({ accountId: 'ti_1', cursor }), 'invalid_request');
  });

  contract('an audit entry counts repetitions', async ({ auditLog }) => {
    const [first, second] = await auditLog.append([
      { ...note, targets: ['vci_1'] },
      { ...note, targets: ['vci_9'] },
    ]);
    await auditLog.repeat(first!, { times: 41, targets: ['vci_1', 'vci_2'] });
    await auditLog.repeat(first!, { times: 2, targets: [] });
    await auditLog.repeat('aei_gone', { times: 1, targets: ['vci_3'] });
    const { entries } = await auditLog.search({ accountId: note.accountId });
    const written = new Map(entries.map(({ id, count, targets }) => [id, { count, targets }]));
    assert.deepEqual(written.get(first!), { count: 44, targets: ['vci_1', 'vci_2'] });
    assert.deepEqual(written.get(second!), { count: 1, targets: ['vci_9'] });
    const found = await auditLog.search({ accountId: note.accountId, target: 'vci_2' });
    assert.deepEqual(
      found.entries.map(({ id }) => id),
      [first],
    );
  });

  contract('a search of the audit log returns matching entries, page by page', async ({ auditLog, deps }) => {
    const random = seededRandom(7);
    const one = <Value>(values: readonly Value[]) => values[random.below(values.length)]!;
    const startMs = deps.clock.nowMs();
    const notes: (AuditNote & { timeMs: number })[] = [];
    for (let n = 0; n < 60; n++) {
      // Several in the same millisecond, so that the cursor has to distinguish them.
      deps.clock.advance(random.below(2));
      const workspaceId = one([undefined, 'wi_1', 'wi_2']);
      const written: AuditNote = {
        accountId: one(['ti_1', 'ti_1', 'ti_2']),
        actor: one([note.actor, { kind: 'api_key', id: 'aki_1', name: 'akn_1' }]),
        remoteAddress: '',
        userAgent: '',
        operation: one(['create_topic', 'delete_topic']),
        ...(workspaceId === undefined ? {} : { workspaceId }),
        targets: [['vci_1'], ['vci_2'], ['vci_1', 'vci_2'], []][random.below(4)]!,
        result: one(['ok', 'not_found']),
      };
      await auditLog.append([written]);
      notes.push({ ...written, timeMs: deps.clock.nowMs() });
    }
    const timeMs = fc.integer({ min: startMs, max: deps.clock.nowMs() + 1 });
    const search = fc.record(
      {
        accountId: fc.constantFrom('ti_1', 'ti_2', 'ti_3'),
        fromMs: timeMs,
        toMs: timeMs,
        actor: fc.constantFrom('ui_1', 'ada@example.com', 'aki_1', 'akn_1', 'x'),
        operation: fc.constantFrom('create_topic', 'delete_topic', 'x'),
        target: fc.constantFrom('vci_1', 'vci_2', 'x'),
        result: fc.constantFrom('ok', 'not_found'),
        workspaceIds: fc.subarray(['wi_1', 'wi_2']),
      },
      { requiredKeys: ['accountId'] },
    );
    await fc.assert(
      fc.asyncProperty(search, fc.integer({ min: 3, max: 70 }), async (wanted, limit) => {
        const expected = notes.filter((written) => matches(written, wanted));
        const found: number[] = [];
        const ids = new Set<string>();
        let cursor: string | undefined;
        do {
          const page = await auditLog.search({
            ...wanted,
            limit,
            ...(cursor === undefined ? {} : { cursor }),
          });
          assert.ok(page.entries.length <= limit);
          for (const entry of page.entries) {
            assert.ok(matches(entry, wanted));
            found.push(entry.timeMs);
            ids.add(entry.id);
          }
          cursor = page.nextCursor;
        } while (cursor !== undefined);
        assert.equal(ids.size, found.length);
        assert.deepEqual(found, expected.map((entry) => entry.timeMs).toReversed());
      }),
      { numRuns: 40 },
    );
  });
}

function matches(
  entry: AuditNote & { readonly timeMs: number },
  { accountId, fromMs, toMs, actor, operation, target, result, workspaceIds }: AuditSearch,
): boolean {
  return (
    entry.accountId === accountId &&
    (fromMs === undefined || entry.timeMs >= fromMs) &&
    (toMs === undefined || entry.timeMs < toMs) &&
    (actor === undefined || [entry.actor.id, entry.actor.name].includes(actor)) &&
    (operation === undefined || entry.operation === operation) &&
    (target === undefined || entry.targets.includes(target)) &&
    (result === undefined || entry.result === result) &&
    (workspaceIds === undefined ||
      (entry.workspaceId !== undefined && workspaceIds.includes(entry.workspaceId)))
  );
}
