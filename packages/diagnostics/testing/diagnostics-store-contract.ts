import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnosticLimits } from '../src/limits.ts';
import { type DiagnosticRecord, newRecord, type Transition } from '../src/record.ts';
import type { DiagnosticChange, DiagnosticsStore } from '../src/store.ts';

const clusterId = 'vci_contract';

/** A record with a value in every field. */
function fullRecord(name: string, transitionCount: number): DiagnosticRecord {
  return {
    ...newRecord(clusterId, name, 5),
    status: 'failed',
    severity: 'high',
    findings: [
      { entity: { kind: 'group', name: 'größe "1"\\' }, message: 'stuck', severity: 'high', sinceMs: 1 },
    ],
    findingCount: 12,
    looksAgainst: 1,
    noData: { sinceMs: 3, missing: 'stats' },
    failedMs: 4,
    recoveredMs: 2,
    mute: { by: 'ann', atMs: 1, untilMs: 1e15, reason: 'known' },
    transitionCount,
  };
}

function transitionOf(name: string, number: number, atMs = number): Transition {
  const kind = number % 2 === 0 ? 'failed' : 'recovered';
  return {
    clusterId,
    name,
    number,
    kind,
    atMs,
    by: null,
    severity: 'low',
    message: `m${number}`,
    isSilent: false,
  };
}

function change(name: string, loadedVersion: number, ...transitions: Transition[]): DiagnosticChange {
  return { record: fullRecord(name, transitions.length), loadedVersion, transitions };
}

/** The contract of every driver of the store. `open` opens an empty one. */
export function diagnosticsStoreContract(driver: string, open: () => Promise<DiagnosticsStore>): void {
  const contract = (name: string, run: (store: DiagnosticsStore) => Promise<void>) =>
    test(`${driver}: ${name}`, async () => run(await open()));

  contract('records are read as they were saved, by name', async (store) => {
    assert.deepEqual(await store.load(clusterId), []);
    assert.deepEqual(await store.save([change('b', 0), change('a', 0)]), [true, true]);
    assert.deepEqual(await store.load(clusterId), [
      { record: fullRecord('a', 0), version: 1 },
      { record: fullRecord('b', 0), version: 1 },
    ]);
    assert.deepEqual(await store.load('vci_other'), []);
  });

  contract(
    'a change of an outdated version is refused, and other changes of the call are saved',
    async (store) => {
      await store.save([change('a', 0), change('b', 0)]);
      assert.deepEqual(await store.save([change('a', 1, transitionOf('a', 0))]), [true]);
      const slow = [change('a', 1, transitionOf('a', 7)), change('b', 1), change('c', 1), change('a', 0)];
      assert.deepEqual(await store.save(slow), [false, true, false, false]);
      const versions = (await store.load(clusterId)).map(({ record, version }) => `${record.name}${version}`);
      assert.deepEqual(versions, ['a2', 'b2']);
      assert.deepEqual(await store.transitions({ clusterId, limit: 10 }), [transitionOf('a', 0)]);
    },
  );

  contract('transitions are listed newest first, page by page', async (store) => {
    const ofA = [transitionOf('a', 0, 10), transitionOf('a', 1, 30), transitionOf('a', 2, 30)];
    const ofB = [transitionOf('b', 0, 20), transitionOf('b', 1, 30)];
    await store.save([change('a', 0, ...ofA), change('b', 0, ...ofB)]);
    const expected = [ofA[2]!, ofA[1]!, ofB[1]!, ofB[0]!, ofA[0]!];
    assert.deepEqual(await store.transitions({ clusterId, limit: 100 }), expected);
    assert.deepEqual(await store.transitions({ clusterId, name: 'b', limit: 100 }), [...ofB].reverse());
    const paged: Transition[] = [];
    for (let after: Transition | undefined, page = expected; page.length > 0; after = paged.at(-1)) {
      page = [...(await store.transitions({ clusterId, after, limit: 2 }))];
      paged.push(...page);
    }
    assert.deepEqual(paged, expected);
  });

  contract('the oldest transitions of a diagnostic are removed', async (store) => {
    const max = diagnosticLimits.diagnosticTransitionsMax;
    await store.save([change('b', 0, transitionOf('b', 0, 0))]);
    for (let number = 0; number < max + 3; number++) {
      await store.save([change('a', number, transitionOf('a', number))]);
    }
    const stored = await store.transitions({ clusterId, name: 'a', limit: 10 * max });
    assert.equal(stored.length, max);
    assert.deepEqual(stored.at(-1), transitionOf('a', 3));
    assert.equal((await store.transitions({ clusterId, name: 'b', limit: 10 })).length, 1);
  });

  contract('the records of a deleted cluster are removed', async (store) => {
    await store.save([change('a', 0, transitionOf('a', 0))]);
    await store.forget(clusterId);
    assert.deepEqual(await store.load(clusterId), []);
    assert.deepEqual(await store.transitions({ clusterId, limit: 10 }), []);
    assert.deepEqual(await store.save([change('a', 0)]), [true]);
  });
}
