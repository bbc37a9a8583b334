import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assignmentText, lastCommitOf, ownerOf, unownedCount } from './group-facts.ts';

test('the last commit is the latest of all partitions', () => {
  const at = (...times: (string | null)[]) => lastCommitOf(times.map((committed_at) => ({ committed_at })));
  assert.equal(at(), null);
  assert.equal(at(null, null), null);
  assert.equal(
    at('2026-01-31T12:00:00.000Z', null, '2026-01-31T12:00:01.000Z', '2026-01-30T00:00:00.000Z'),
    '2026-01-31T12:00:01.000Z',
  );
});

test('an owner is named by its client and host', () => {
  const members = [
    { id: 'm-1', client_id: 'shop-1', client_host: '/10.0.0.7' },
    { id: 'm-2', client_id: 'shop-2', client_host: '' },
  ];
  const cases: readonly (readonly [memberId: string | null, owner: string | undefined])[] = [
    ['m-1', 'shop-1 at 10.0.0.7'],
    ['m-2', 'shop-2'],
    ['gone', 'gone'],
    [null, undefined],
  ];
  for (const [memberId, owner] of cases) assert.equal(ownerOf(members, memberId), owner);
});

test('partitions without an owner are counted, and an assignment is one line', () => {
  const partition = (member_id: string | null) => ({ member_id }) as never;
  assert.equal(
    unownedCount({ topics: [{ name: 'a', total_lag: 0, partitions: [partition(null), partition('m')] }] }),
    1,
  );
  const assignments = Array.from({ length: 6 }, (_, at) => ({ topic_name: `t${at}`, partitions: [at] }));
  assert.equal(assignmentText({ assignment: { assignments } }), 't0 0 · t1 1 · t2 2 · t3 3 · and 2 more');
  const many = [{ topic_name: 't', partitions: Array.from({ length: 20 }, (_, at) => at) }];
  assert.equal(
    assignmentText({ assignment: { assignments: many } }),
    't 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, …',
  );
  assert.equal(assignmentText({ assignment: { assignments: [] } }), '');
});
