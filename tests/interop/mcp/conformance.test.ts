import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conformanceOf, type Scenario } from './conformance-report.ts';
import { missingImplementations } from './conformance-tools.ts';
import { startFixtureServer } from './fixture-server.ts';

const skip = missingImplementations();

const table: [revision: string, hasSessions: boolean, scoredCount: number][] = [
  ['2026-07-28', false, 37],
  ['2025-11-25', true, 30],
];

for (const [revision, hasSessions, scoredCount] of table) {
  test(`the official conformance suite finds revision ${revision} of the protocol as it has to be`, {
    skip,
  }, async (t) => {
    const { status, scenarios } = await conformanceOf(await startFixtureServer(t, { hasSessions }), revision);
    assert.equal(scenarios.filter(isScored).length, scoredCount);
    assert.deepEqual(scenarios.filter(isScored).filter(isWanting), []);
    // Unscored scenarios may warn. Extensions may fail, because Weir does not offer them.
    const failing = scenarios.filter(({ failures }) => failures.length > 0);
    assert.deepEqual(
      failing.filter(({ unscoredAs }) => unscoredAs !== 'extension'),
      [],
    );
    assert.equal(status, 0);
  });
}

/**
 * Scenarios that need sessions. Weir's endpoint is stateless, because none of its tools sends requests to the client.
 */
const takesSessions = [
  'elicitation-sep1034-defaults',
  'elicitation-sep1330-enums',
  'server-sse-multiple-streams',
  'tools-call-elicitation',
  'tools-call-sampling',
];

test('without sessions, as our own tools are served, clients of 2025 find all but what takes sessions', {
  skip,
}, async (t) => {
  const url = await startFixtureServer(t, { hasSessions: false });
  const { scenarios } = await conformanceOf(url, '2025-11-25');
  const wanting = scenarios.filter(isScored).filter(isWanting);
  assert.deepEqual(wanting.map(({ name }) => name).sort(), takesSessions);
});

function isScored({ unscoredAs }: Scenario): boolean {
  return unscoredAs === undefined;
}

function isWanting({ passedCount, warnings, failures }: Scenario): boolean {
  return passedCount === 0 || warnings.length + failures.length > 0;
}
