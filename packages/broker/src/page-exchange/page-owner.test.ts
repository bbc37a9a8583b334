import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { testAgent } from '../../testing/agent.ts';
import { pageKeepers, pageOwner } from './page-owner.ts';

const self = { zone: 'zone-a', group: '' };

function keepersOf(...agentIds: readonly string[]) {
  return pageKeepers(
    agentIds.map((agentId) => testAgent(agentId)),
    self,
  );
}

const fileIds = fc
  .uint8Array({ minLength: 16, maxLength: 16 })
  .map((bytes) => Buffer.from(bytes).toString('hex'));

test('agents of the zone and group that serve consumers keep its pages', () => {
  const cases: [differences: Parameters<typeof testAgent>[1], isKeeper: boolean][] = [
    [{}, true],
    [{ roles: ['proxy-consume'] }, true],
    [{ roles: ['proxy-produce', 'proxy-consume'] }, true],
    [{ roles: ['proxy-produce'] }, false],
    [{ roles: ['jobs', 'pipelines'] }, false],
    [{ zone: 'zone-b' }, false],
    [{ group: 'other' }, false],
  ];
  for (const [differences, isKeeper] of cases) {
    const keepers = pageKeepers([testAgent('one', differences)], self);
    assert.equal(keepers.length === 1, isKeeper, JSON.stringify(differences));
  }
});

test('without agents there is no keeper', () => {
  assert.equal(pageOwner([], 'f', 0), undefined);
  assert.equal(
    pageOwner(keepersOf('one'), 'f', 0, () => true),
    undefined,
  );
});

test('all agents choose the same keeper, in whatever order they list the agents', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.uuid(), { minLength: 1, maxLength: 20 }),
      fileIds,
      fc.nat(1000),
      (agentIds, fileId, index) => {
        const owner = pageOwner(keepersOf(...agentIds), fileId, index)!;
        assert.ok(agentIds.includes(owner.agentId));
        assert.equal(pageOwner(keepersOf(...agentIds.toReversed()), fileId, index)!.agentId, owner.agentId);
      },
    ),
  );
});

test('an agent that leaves or is avoided loses its pages to others, and no other pages move', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.uuid(), { minLength: 2, maxLength: 20 }),
      fileIds,
      fc.nat(1000),
      (agentIds, fileId, index) => {
        const [gone, ...rest] = agentIds;
        const before = pageOwner(keepersOf(...agentIds), fileId, index)!.agentId;
        const after = pageOwner(keepersOf(...rest), fileId, index)!.agentId;
        if (before !== gone) assert.equal(after, before);
        const avoiding = pageOwner(keepersOf(...agentIds), fileId, index, (agentId) => agentId === gone);
        assert.equal(avoiding!.agentId, after, 'an avoided agent counts as absent');
      },
    ),
  );
});

test('pages are spread evenly, and a new agent takes its share from all others', () => {
  const pages = 20_000;
  for (const count of [1, 2, 3, 10, 50]) {
    const agentIds = Array.from({ length: count }, (_, number) => `agent-${number}`);
    const [before, after] = [keepersOf(...agentIds), keepersOf(...agentIds, 'new')];
    const owned = new Map<string, number>();
    let moved = 0;
    for (let page = 0; page < pages; page++) {
      const fileId = (page >> 2).toString(16).padStart(32, '0');
      const owner = pageOwner(before, fileId, page & 3)!.agentId;
      const next = pageOwner(after, fileId, page & 3)!.agentId;
      owned.set(owner, (owned.get(owner) ?? 0) + 1);
      if (next === owner) continue;
      assert.equal(next, 'new');
      moved++;
    }
    // Ten standard deviations of a fair draw: a bad hash is far outside, and a good one never is.
    const isFair = (got: number, share: number) =>
      Math.abs(got - pages * share) <= 10 * Math.sqrt(pages * share * (1 - share) + 1);
    for (const [agentId, got] of owned) assert.ok(isFair(got, 1 / count), `${agentId} of ${count}: ${got}`);
    assert.equal(owned.size, count);
    assert.ok(isFair(moved, 1 / (count + 1)), `${moved} moved to one of ${count + 1}`);
  }
});
