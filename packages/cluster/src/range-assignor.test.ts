import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { assignRanges } from './range-assignor.ts';

test('ranges are assigned in the order of the member names, the first ones longer', () => {
  // members as `id:topics`, or `id/instance:topics`; topics as `name:partitions`; what each member gets
  const cases: readonly [members: string[], topics: string[], assigned: Record<string, string>][] = [
    [['a:t', 'b:t'], ['t:3'], { a: 't 0,1', b: 't 2' }],
    [['b:t', 'a:t'], ['t:3'], { a: 't 0,1', b: 't 2' }],
    [['a:t', 'b:t', 'c:t'], ['t:2'], { a: 't 0', b: 't 1', c: '' }],
    [['a:t,u', 'b:t,u'], ['t:2', 'u:2'], { a: 't 0; u 0', b: 't 1; u 1' }],
    [['a:t', 'b:u'], ['t:2', 'u:1'], { a: 't 0,1', b: 'u 0' }],
    [['a:t', 'z/first:t'], ['t:2'], { a: 't 1', z: 't 0' }],
    [['a:t', 'c/y:t', 'b/z:t', 'd:t'], ['t:4'], { a: 't 2', b: 't 1', c: 't 0', d: 't 3' }],
    [['a:gone'], ['t:2'], { a: '' }],
  ];
  for (const [members, topics, expected] of cases) {
    const subscribers = members.map((text) => {
      const [name, list] = text.split(':') as [string, string];
      const [memberId, instanceId = null] = name.split('/') as [string, string?];
      return { memberId, instanceId, topics: new Set(list.split(',')) };
    });
    const counts = new Map(topics.map((text) => text.split(':') as [string, string]));
    const assigned = assignRanges(subscribers, new Map([...counts].map(([name, n]) => [name, Number(n)])));
    const shown = [...assigned].map(([memberId, partitions]) => [
      memberId,
      [...partitions].map(([topic, indexes]) => `${topic} ${indexes}`).join('; '),
    ]);
    assert.deepEqual(Object.fromEntries(shown), expected, members.join(' '));
  }
});

test('every partition goes to exactly one member, and members differ by at most one partition', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 8 }),
      fc.nat(40),
      (ids, partitionCount) => {
        const members = ids.map((memberId) => ({ memberId, instanceId: null, topics: new Set(['t']) }));
        const assigned = assignRanges(members, new Map([['t', partitionCount]]));
        const shares = ids.map((id) => assigned.get(id)!.get('t') ?? []);
        assert.deepEqual(
          shares.flat().sort((a, b) => a - b),
          Array.from({ length: partitionCount }, (_, index) => index),
        );
        const lengths = shares.map(({ length }) => length);
        assert.ok(Math.max(...lengths) - Math.min(...lengths) <= 1);
      },
    ),
  );
});
