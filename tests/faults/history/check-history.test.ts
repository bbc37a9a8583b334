import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkHistory, type Defect, defects } from './check-history.ts';
import type { FaultEvent } from './events.ts';

/** An event without its time, which is its index in the list. */
type Step = FaultEvent extends infer Event ? (Event extends unknown ? Omit<Event, 'atMs'> : never) : never;

const timed = (steps: readonly Step[]) => steps.map((step, atMs) => ({ ...step, atMs })) as FaultEvent[];
const write = (value: string, partition: number, more: object = {}): Step => ({
  type: 'write',
  topic: 't',
  partition,
  value,
  producer: 'p',
  ...more,
});
const acknowledge = (value: string, partition: number, offset: number, topic = 't'): Step => ({
  type: 'acknowledge',
  topic,
  partition,
  value,
  offset,
});
const read = (value: string, partition: number, offset: number, more: object = {}): Step => ({
  type: 'read',
  reader: 'last',
  isLast: true,
  topic: 't',
  partition,
  offset,
  value,
  ...more,
});
/** As lightning topics answer. */
const loose = { isUnorderedUntilAcknowledged: true };
const withoutOffset = (value: string, partition: number): Step => ({
  type: 'acknowledge',
  topic: 't',
  partition,
  value,
});
const live = { reader: 'live', isLast: false };
const at = (offset: number) => ({ group: 'g', topic: 't', partition: 0, offset });
const commitOffset = (call: number, offset: number, generationId = 1): Step => ({
  type: 'commitOffset',
  call,
  generationId,
  ...at(offset),
});
const offsetsCommitted = (call: number): Step => ({ type: 'offsetsCommitted', call });
const fetchOffsets = (call: number): Step => ({ type: 'fetchOffsets', call });
const offsetFetched = (call: number, offset: number): Step => ({
  type: 'offsetFetched',
  call,
  isLast: false,
  ...at(offset),
});
const lastPosition = (offset: number): Step => ({
  type: 'offsetFetched',
  call: 90,
  isLast: true,
  ...at(offset),
});
const source = (offset: number) => ({ source: at(offset), topic: 'copy', producer: 'copier' });

/**
 * Two plain records; a transaction over two partitions that commits, one that aborts, one without an answer; and a copy
 * of the first record.
 */
const well: readonly Step[] = [
  write('a', 0),
  write('b', 0),
  acknowledge('a', 0, 0),
  acknowledge('b', 0, 1),
  read('a', 0, 0, live),
  write('x1', 0, { producer: 'tx', transaction: 'x' }),
  write('x2', 1, { producer: 'tx', transaction: 'x' }),
  acknowledge('x1', 0, 2),
  acknowledge('x2', 1, 0),
  { type: 'askCommit', transaction: 'x' },
  { type: 'committed', transaction: 'x' },
  write('y1', 0, { producer: 'tx', transaction: 'y' }),
  acknowledge('y1', 0, 4),
  { type: 'aborted', transaction: 'y' },
  write('z1', 0, { producer: 'tx', transaction: 'z' }),
  write('z2', 1, { producer: 'tx', transaction: 'z' }),
  { type: 'askCommit', transaction: 'z' },
  write('copy of a', 0, { transaction: 'c', ...source(0) }),
  { type: 'askCommit', transaction: 'c' },
  { type: 'committed', transaction: 'c' },
  commitOffset(1, 1),
  offsetsCommitted(1),
  fetchOffsets(2),
  offsetFetched(2, 1),
  lastPosition(1),
  read('a', 0, 0),
  read('b', 0, 1),
  read('x1', 0, 2),
  read('x2', 1, 0),
  read('copy of a', 0, 0, { topic: 'copy' }),
];

const without = (isGone: (step: Step) => boolean) => well.filter((step) => !isGone(step));
const isLastRead = (value: string) => (step: Step) =>
  step.type === 'read' && step.isLast && step.value === value;

test('a history in which nothing is wrong has no findings', () => {
  const verdict = checkHistory(timed(well));
  assert.deepEqual(verdict.findings, []);
  const { acknowledged, read: found, transactionsCommitted, transactionsAborted } = verdict;
  const { worstGapMs } = verdict;
  assert.deepEqual(
    { acknowledged, found, transactionsCommitted, transactionsAborted, worstGapMs },
    { acknowledged: 5, found: 5, transactionsCommitted: 2, transactionsAborted: 1, worstGapMs: 4 },
  );
});

test('a record of a lightning topic has any place before it is acknowledged, and no offset is said', () => {
  const steps = [
    ...well,
    ...[write('m', 1, loose), write('n', 1, loose), withoutOffset('n', 1)],
    ...[read('n', 1, 5), read('m', 1, 6)],
  ];
  assert.deepEqual(checkHistory(timed(steps)).findings, []);
  const lost = checkHistory(timed([...steps, write('o', 1, loose), withoutOffset('o', 1)]));
  assert.deepEqual(
    lost.findings.map(({ defect }) => defect),
    ['lost'],
  );
});

test('the longest stall is that of one client in one partition', () => {
  const committed = (transaction: string): Step => ({ type: 'committed', transaction });
  const steps = [committed('tx-1'), ...well, committed('tx-2'), read('a', 0, 0, live)];
  const { worstStall } = checkHistory(timed(steps));
  assert.deepEqual(worstStall, { ms: well.length + 1, client: 'tx' });
  assert.deepEqual(checkHistory(timed(well)).worstStall, { ms: 0, client: '' });
});

const planted: readonly [what: string, expected: Defect, steps: readonly Step[]][] = [
  ['an acknowledged record is missing', 'lost', without(isLastRead('b'))],
  [
    'a committed transaction is missing',
    'lost',
    without((step) => isLastRead('x1')(step) || isLastRead('x2')(step)),
  ],
  [
    'a record that was read is gone, though it was never acknowledged',
    'lost',
    [...well, write('late', 0), read('late', 0, 9, live)],
  ],
  ['a record is there twice', 'duplicate', [...well, read('b', 0, 5)]],
  ['a reader comes to a value again', 'duplicate', [...well, read('b', 0, 1, live), read('b', 0, 1, live)]],
  [
    'a record is copied twice',
    'duplicate',
    [
      ...well,
      write('copy again', 0, { transaction: 'd', ...source(0) }),
      { type: 'askCommit', transaction: 'd' },
      read('copy again', 0, 1, { topic: 'copy' }),
    ],
  ],
  [
    'records have changed places',
    'reordered',
    [...well, write('m', 1), write('n', 1), read('n', 1, 5), read('m', 1, 6)],
  ],
  [
    'acknowledged records have changed places that only acknowledgements have',
    'reordered',
    [
      ...well,
      ...[write('m', 1, loose), write('n', 1, loose), withoutOffset('m', 1), withoutOffset('n', 1)],
      ...[read('n', 1, 5), read('m', 1, 6)],
    ],
  ],
  ['a record of an aborted transaction is visible', 'aborted', [...well, read('y1', 0, 4)]],
  [
    'a record is visible before its commit was asked for',
    'aborted',
    [
      ...well,
      write('o', 1, { transaction: 'open' }),
      read('o', 1, 7, live),
      { type: 'askCommit', transaction: 'open' },
      read('o', 1, 7),
    ],
  ],
  ['half of a committed transaction is visible', 'torn', without(isLastRead('x2'))],
  ['half of a transaction without an answer is visible', 'torn', [...well, read('z1', 0, 6)]],
  [
    'offsets are committed without the copy',
    'torn',
    well.map((step) => (isCopyPosition(step) ? lastPosition(2) : step)),
  ],
  [
    'the copy is there without its offsets',
    'torn',
    well.map((step) => (isCopyPosition(step) ? lastPosition(0) : step)),
  ],
  [
    'an acknowledged offset is forgotten',
    'backwards',
    [...well, commitOffset(3, 7), offsetsCommitted(3), fetchOffsets(4), offsetFetched(4, 1)],
  ],
  [
    'a position that was told is taken back',
    'backwards',
    [...well, fetchOffsets(3), offsetFetched(3, 8), fetchOffsets(4), offsetFetched(4, 7)],
  ],
  [
    'a late commit of an old generation is taken',
    'backwards',
    [
      ...well,
      commitOffset(3, 5, 1),
      commitOffset(4, 7, 2),
      offsetsCommitted(4),
      fetchOffsets(5),
      offsetFetched(5, 5),
    ],
  ],
  ['a record was never written', 'corrupt', [...well, read('strange', 0, 7)]],
  [
    'a record lies in another partition',
    'corrupt',
    [...well, write('m', 1), acknowledge('m', 1, 9), read('m', 0, 9)],
  ],
  [
    'a record lies at another offset',
    'corrupt',
    well.map((step) => (isLastRead('b')(step) ? read('b', 0, 9) : step)),
  ],
  ['an offset has become another record', 'corrupt', [...well, read('b', 0, 0, live)]],
];

function isCopyPosition(step: Step): boolean {
  return step.type === 'offsetFetched' && step.isLast;
}

for (const [what, expected, steps] of planted) {
  test(`${expected}: ${what}`, () => {
    const found = new Set(checkHistory(timed(steps)).findings.map(({ defect }) => defect));
    assert.ok(found.has(expected), `found ${[...found].join(', ') || 'nothing'}`);
  });
}

test('what is missing counts only when everything was read', () => {
  const [, , missing] = planted[0]!;
  assert.deepEqual(checkHistory(timed(missing), false).findings, []);
  const doubled = [...missing, read('a', 0, 5)];
  const found = checkHistory(timed(doubled), false).findings.map(({ defect }) => defect);
  assert.ok(found.includes('duplicate'));
});

test('every kind of defect is planted', () => {
  assert.deepEqual(new Set(planted.map(([, expected]) => expected)), new Set(Object.keys(defects)));
});

const allowed: readonly [what: string, more: readonly Step[]][] = [
  ['a transaction without an answer is there as a whole', [read('z1', 0, 6), read('z2', 1, 2)]],
  ['a record without an answer is there', [write('n', 1), read('n', 1, 5)]],
  ['a record without an answer is not there', [write('n', 1)]],
  [
    'a commit without an answer takes effect late, in its generation, and the group goes on from there',
    [
      commitOffset(3, 5),
      commitOffset(4, 7),
      offsetsCommitted(4),
      fetchOffsets(5),
      offsetFetched(5, 5),
      commitOffset(6, 6),
      offsetsCommitted(6),
      fetchOffsets(7),
      offsetFetched(7, 6),
    ],
  ],
  [
    'positions are asked for before a commit is acknowledged and told afterwards',
    [fetchOffsets(3), commitOffset(4, 7), offsetsCommitted(4), offsetFetched(3, 1)],
  ],
];

for (const [what, more] of allowed) {
  test(`allowed: ${what}`, () => assert.deepEqual(checkHistory(timed([...well, ...more])).findings, []));
}
