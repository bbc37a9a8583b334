import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statusSentence } from './status-sentence.ts';

test('the state of a cluster in a sentence', () => {
  const cases = [
    [{ agents: undefined, failing: undefined, behind: 0 }, 'muted', 'Loading …'],
    [{ agents: 0, failing: [], behind: 3 }, 'fail', 'No agents connected: clients cannot connect.'],
    [{ agents: 0, failing: [], behind: 0, of: 'table' }, 'fail', 'No agents connected: no table is written.'],
    [{ agents: 1, failing: [], behind: 1, of: 'table' }, 'warn', 'Healthy. 1 table is falling behind.'],
    [{ agents: 1, failing: [], behind: 0 }, 'ok', 'Healthy.'],
    [{ agents: 1, failing: [], behind: 2 }, 'warn', 'Healthy. 2 groups are falling behind.'],
    [{ agents: 1, failing: ['low', 'medium'], behind: 0 }, 'warn', '2 problems, none of high severity.'],
    [
      { agents: 1, failing: ['low', 'high'], behind: 1 },
      'fail',
      '1 high-severity problem. 1 group is falling behind.',
    ],
  ] as const;
  for (const [findings, kind, text] of cases) assert.deepEqual(statusSentence(findings), { kind, text });
});
