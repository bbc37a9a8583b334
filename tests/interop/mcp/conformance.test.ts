import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { startFixtureServer } from './fixture-server.ts';
import { judge, missingJudges } from './judges.ts';

const skip = missingJudges();

/** What the judge expects to fail has to fail, so that the list stays true. */
const revisions: [revision: string, args: readonly string[]][] = [
  ['2026-07-28', []],
  ['2025-11-25', ['--expected-failures', join(import.meta.dirname, 'expected-failures.yaml')]],
];

for (const [revision, args] of revisions) {
  test(`the official judge finds revision ${revision} of the protocol as it has to be`, {
    skip,
  }, async (t) => {
    const url = await startFixtureServer(t);
    const { status, out, err } = await judge('conformance', [
      'server',
      '--url',
      url,
      '--requirements',
      revision,
      ...args,
    ]);
    const failures = out.split('\n').filter((line) => /^\s*✗|FAIL|unexpected/i.test(line));
    assert.equal(status, 0, `${failures.join('\n')}\n${out.slice(-3000)}\n${err.slice(-1000)}`);
  });
}
