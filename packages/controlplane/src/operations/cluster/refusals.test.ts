import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ErrorCode } from '@weir/api';
import { refuse } from './refusals.ts';

const codes = { INVALID_CONFIG: 'invalid_topic_config', COMPACTION_CHANGE: 'compaction_change' } as const;

const cases: [what: string, answer: Parameters<typeof refuse>[0], code: ErrorCode][] = [
  [
    'a reason that has a code',
    { error: 'INVALID_CONFIG', reason: 'COMPACTION_CHANGE', message: 'any words' },
    'compaction_change',
  ],
  [
    'a reason of a later release',
    { error: 'INVALID_CONFIG', reason: 'NOT_KNOWN_HERE', message: 'any words' },
    'invalid_topic_config',
  ],
  [
    'the words of a leader of an earlier release, which sends no reason',
    { error: 'INVALID_CONFIG', message: 'The topic x cannot be made compacted; make another one.' },
    'invalid_topic_config',
  ],
];

for (const [what, answer, code] of cases) {
  test(`${what}: ${code}`, () => {
    assert.throws(() => refuse(answer, codes), { code, message: answer.message! });
  });
}

test('an error without a code is an internal error', () => {
  assert.throws(() => refuse({ error: 'OTHER', message: 'words' }, codes), {
    message: 'the cluster answered OTHER: words',
  });
});
