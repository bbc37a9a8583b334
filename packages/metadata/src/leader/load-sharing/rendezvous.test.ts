import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { rendezvousRank, rendezvousWeight } from './rendezvous.ts';

const name = fc.string({ minLength: 1, maxLength: 20 });
const names = fc.uniqueArray(name, { minLength: 1, maxLength: 8 });

function preferred(clusterId: string, memberIds: readonly string[]): string {
  return memberIds.find((id) => rendezvousRank(clusterId, id, memberIds) === 0)!;
}

test('members have unique ranks from first to last, in any order of the input', () => {
  fc.assert(
    fc.property(name, names, (clusterId, memberIds) => {
      const ranks = memberIds.map((id) => rendezvousRank(clusterId, id, memberIds));
      assert.deepEqual(
        ranks.toSorted((a, b) => a - b),
        memberIds.map((_, rank) => rank),
      );
      const reversed = memberIds.toReversed();
      assert.deepEqual(ranks, reversed.map((id) => rendezvousRank(clusterId, id, reversed)).reverse());
    }),
  );
});

test('a member that leaves moves only its own clusters', () => {
  fc.assert(
    fc.property(name, names, fc.nat(), (clusterId, memberIds, number) => {
      const gone = memberIds[number % memberIds.length]!;
      const left = memberIds.filter((id) => id !== gone);
      const before = preferred(clusterId, memberIds);
      if (left.length > 0 && before !== gone) assert.equal(preferred(clusterId, left), before);
    }),
  );
});

test('clusters spread evenly', () => {
  for (const count of [2, 3, 5]) {
    const memberIds = Array.from({ length: count }, (_, number) => `process-${number}`);
    const shares = new Map(memberIds.map((id) => [id, 0]));
    for (let number = 0; number < 1_000; number++) {
      const id = preferred(`vci_${number}`, memberIds);
      shares.set(id, shares.get(id)! + 1);
    }
    for (const share of shares.values())
      assert.ok(Math.abs(share - 1_000 / count) < 100, String([...shares]));
  }
});

test('weights are the same in every release', () => {
  const rows: [clusterId: string, memberId: string, weight: number][] = [
    ['vci_a', 'process-0', 26245400191759],
    ['vci_a', 'process-1', 141193277339681],
    ['vci_b', 'process-0', 4159956371816],
  ];
  for (const [clusterId, memberId, weight] of rows)
    assert.equal(rendezvousWeight(clusterId, memberId), weight);
});
