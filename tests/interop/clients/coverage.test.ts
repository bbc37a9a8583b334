import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as platformatic from '@platformatic/kafka';
import { kafkajsFolders, kafkajsVersions } from './kafkajs.ts';
import { isOurs, notComparable, titleOf } from './not-comparable.ts';
import { isApiModule, platformaticVersions } from './platformatic.ts';

/**
 * The interop tests take every API and version from the client packages, so that none is forgotten. This file checks
 * that those lists are complete, and that every version that Weir lacks has a documented reason.
 */
const clients = { kafkajs: kafkajsVersions, platformatic: platformaticVersions };

for (const [client, versions] of Object.entries(clients)) {
  test(`${client}: every version is tested or excused`, () => {
    const left = versions.filter((version) => isOurs(version) === titleOf(version) in notComparable);
    assert.deepEqual(left.map(titleOf), []);
  });
}

test('every excuse is for a version that a client has', () => {
  const titles = new Set(Object.values(clients).flatMap((versions) => versions.map(titleOf)));
  assert.deepEqual(
    Object.keys(notComparable).filter((title) => !titles.has(title)),
    [],
  );
});

test('kafkajs: the versions in its table are those that it has folders for', () => {
  assert.equal(kafkajsVersions.length, kafkajsFolders().length);
});

test('platformatic: the versions that it exports are among those that it has files for', () => {
  const titles = new Set(platformaticVersions.map(({ key, version }) => `${key} v${version}`));
  const exported = Object.values<unknown>(platformatic).filter(isApiModule);
  assert.ok(exported.length > 0);
  assert.deepEqual(
    exported.filter(({ api }) => !titles.has(`${api.key} v${api.version}`)),
    [],
  );
});
