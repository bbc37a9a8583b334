import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { testedClients } from '../interop/compatibility/clients.ts';
import { departures } from '../interop/compatibility/departures.ts';
import { compatibilityPage } from '../interop/compatibility/page.ts';
import { readResults } from '../interop/compatibility/results.ts';

test('docs/reference/compatibility.md is what results and departures say', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/reference/compatibility.md'), 'utf8');
  assert.equal(page, compatibilityPage(), 'run npm run docs');
});

test('the recorded results are of the clients and versions that are tested', () => {
  const tested = testedClients.map(({ name, version }) => `${name} ${version}`);
  const recorded = readResults().map(({ name, version }) => `${name} ${version}`);
  assert.deepEqual(recorded, tested, 'run npm run docs:compatibility');
});

test('every recorded scenario passed', () => {
  for (const { name, scenarios } of readResults()) {
    assert.ok(scenarios.length > 0, name);
    for (const scenario of scenarios) assert.equal(scenario.outcome, 'passed', `${name}: ${scenario.name}`);
  }
});

test('the test files of the clients are there', () => {
  for (const { files } of testedClients) {
    for (const file of files) assert.ok(existsSync(join(import.meta.dirname, '../interop', file)), file);
  }
});

test('a departure stands in the table once', () => {
  const subjects = departures.map(({ subject }) => subject);
  assert.equal(new Set(subjects).size, subjects.length);
});
