import assert from 'node:assert/strict';
import { test } from 'node:test';
import { includesVersion, parseVersions, type VersionText } from './versions.ts';

test('version ranges include both ends', () => {
  // range, versions inside, versions outside
  const cases: [range: VersionText, inside: number[], outside: number[]][] = [
    ['3', [3], [2, 4]],
    ['3+', [3, 4, 99], [0, 2]],
    ['0-4', [0, 2, 4], [5]],
    ['7-7', [7], [6, 8]],
  ];
  for (const [range, inside, outside] of cases) {
    for (const version of inside)
      assert.ok(includesVersion(parseVersions(range), version), `${version} in ${range}`);
    for (const version of outside) {
      assert.ok(!includesVersion(parseVersions(range), version), `${version} not in ${range}`);
    }
  }
});

test('a malformed range throws at once', () => {
  for (const range of ['-3', '4-2', '1.5', 'x']) {
    assert.throws(() => parseVersions(range as VersionText), TypeError, range);
  }
});
