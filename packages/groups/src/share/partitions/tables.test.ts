import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AcknowledgeType } from '@weir/cluster';
import { acknowledge } from './acknowledge.ts';
import { acquire, expire, releaseAll } from './acquire.ts';
import { type PartitionRules, type RecordState, SharePartition } from './share-partition.ts';

const rules: PartitionRules = { lockMs: 100, deliveriesMax: 2, windowMax: 10, mayRenew: true };
const log = { startOffset: 0, endOffset: 10, gaps: [] };

/**
 * One letter per record of the window: `.` available, the name of the member that holds it, `+` acknowledged, `x`
 * archived.
 */
const letters: Record<Exclude<RecordState, 'acquired'>, string> = {
  available: '.',
  acknowledged: '+',
  archived: 'x',
};

function drawn({ startOffset, spans }: SharePartition): string {
  const window = spans.map(({ first, last, state, memberId }) =>
    (state === 'acquired' ? memberId : letters[state]).repeat(last - first + 1),
  );
  return `${startOffset}:${window.join('')}`;
}

/**
 * `a 3-5 accept`: the member acknowledges these records. `a 4`: it acquires so many. `a away`: it leaves. `100 ms`:
 * time passes.
 */
function play(story: string): { partition: SharePartition; errors: string[] } {
  const partition = new SharePartition(0);
  const errors: string[] = [];
  let nowMs = 0;
  for (const line of story.split(', ').filter((part) => part !== '')) {
    const [who = '', what = '', type] = line.split(' ');
    if (what === 'ms') {
      nowMs += Number(who);
      expire(partition, nowMs, rules);
    } else if (what === 'away') releaseAll(partition, who, rules);
    else if (type === undefined)
      acquire(partition, { memberId: who, recordsMax: Number(what) }, log, nowMs, rules);
    else {
      const [first, last = first] = what.split('-').map(Number);
      const row = { first: first!, last: last!, type: type as AcknowledgeType };
      errors.push(acknowledge(partition, who, [row], nowMs, rules));
    }
  }
  return { partition, errors };
}

const stories: [what: string, story: string, window: string, errors?: readonly string[]][] = [
  ['no acquisition', '', '0:'],
  ['each record goes to one member', 'a 3, b 2', '0:aaabb'],
  ['the end of the window limits acquisitions', 'a 8, b 8', '0:aaaaaaaabb'],
  ['the start offset passes finished records', 'a 4, a 0-1 accept', '2:aa', ['NONE']],
  ['finished records after an unfinished one stay in the window', 'a 4, a 1-2 accept', '0:a++a', ['NONE']],
  ['a finished window is empty', 'a 4, a 1-3 reject, a 0 accept', '4:', ['NONE', 'NONE']],
  ['released records are delivered first', 'a 4, a 1 release, b 2', '0:abaab', ['NONE']],
  [
    'records released at the delivery limit are archived',
    'a 2, a 0-1 release, b 2, b 0-1 release',
    '2:',
    ['NONE', 'NONE'],
  ],
  ['a lock expires', 'a 2, 100 ms', '0:..'],
  ['a renewed lock does not expire', 'a 2, 50 ms, a 0 renew, 50 ms', '0:a.', ['NONE']],
  ['a lock that expires at the delivery limit archives its record', 'a 2, 100 ms, b 1, 100 ms', '1:.'],
  ['a member that leaves releases its records', 'a 2, b 2, a away', '0:..bb'],
  [
    'records that the agent returns unsent do not count as delivered',
    'a 1, a 0 return, b 1, b 0 release',
    '0:.',
    ['NONE', 'NONE'],
  ],
  ['a gap is archived', 'a 3, a 1 gap', '0:axa', ['NONE']],
  ['records of another member', 'a 2, b 1 accept', '0:aa', ['INVALID_RECORD_STATE']],
  ['records of two members', 'a 2, b 2, a 1-2 accept', '0:aabb', ['INVALID_RECORD_STATE']],
  ['records whose lock expired', 'a 2, 100 ms, a 0 accept', '0:..', ['INVALID_RECORD_STATE']],
  [
    'repeated acknowledgement within the window',
    'a 2, a 1 accept, a 1 accept',
    '0:a+',
    ['NONE', 'INVALID_RECORD_STATE'],
  ],
  ['repeated acknowledgement before the window', 'a 2, a 0 accept, a 0 accept', '1:a', ['NONE', 'NONE']],
  ['records beyond the window', 'a 2, a 1-5 accept', '0:aa', ['INVALID_RECORD_STATE']],
  ['last offset before first offset', 'a 2, a 1-0 accept', '0:aa', ['INVALID_REQUEST']],
];

for (const [what, story, window, errors = []] of stories) {
  test(`records of a share partition: ${what}`, () => {
    const result = play(story);
    assert.deepEqual([drawn(result.partition), result.errors], [window, errors]);
  });
}

test('acknowledgements of one partition apply all or none', () => {
  const { partition } = play('a 2, b 2');
  const rows = [
    { first: 0, last: 1, type: 'accept' as const },
    { first: 2, last: 2, type: 'accept' as const },
  ];
  assert.equal(acknowledge(partition, 'a', rows, 0, rules), 'INVALID_RECORD_STATE');
  assert.equal(acknowledge(partition, 'a', [rows[0]!, rows[0]!], 0, rules), 'INVALID_REQUEST');
  assert.equal(drawn(partition), '0:aabb');
});

test('a group that forbids renewal renews nothing', () => {
  const { partition } = play('a 1');
  const row = { first: 0, last: 0, type: 'renew' as const };
  assert.equal(acknowledge(partition, 'a', [row], 0, { ...rules, mayRenew: false }), 'INVALID_REQUEST');
});

test('retention removes acquired records', () => {
  const { partition } = play('a 4, a 2 accept');
  partition.startNoEarlierThan(2);
  assert.equal(drawn(partition), '3:a');
  partition.startNoEarlierThan(8);
  assert.equal(drawn(partition), '8:');
});

test('a group with a lowered delivery limit archives records beyond it', () => {
  const { partition } = play('a 2, a 0-1 release');
  acquire(partition, { memberId: 'a', recordsMax: 1 }, log, 0, { ...rules, deliveriesMax: 1 });
  assert.equal(drawn(partition), '2:a');
});
