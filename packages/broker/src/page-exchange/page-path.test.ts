import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { pagePath, parsePagePath } from './page-path.ts';

const fileId = '0123456789abcdef0123456789abcdef';

test('a path is parsed as it was written', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 16, maxLength: 16 }),
      fc.nat(9_999_999),
      fc.integer({ min: 1, max: 999_999_999 }),
      (id, index, pageBytes) => {
        const address = { fileId: Buffer.from(id).toString('hex'), index, pageBytes };
        assert.deepEqual(parsePagePath(pagePath(address)), address);
      },
    ),
  );
});

test('a path has exactly one form', () => {
  const good = `/v1/internal/files/${fileId}?page=3&pageBytes=100`;
  assert.ok(!('problem' in parsePagePath(good)));
  assert.ok(!('problem' in parsePagePath(good.replace(fileId, `${fileId}@vci_source`))));
  const bad: readonly string[] = [
    '',
    '/v1/internal/files/',
    `/v1/internal/files/${fileId}`,
    `/v1/internal/files/${fileId}?page=3`,
    `/v1/internal/files/${fileId}?pageBytes=100&page=3`,
    `${good}&page=4`,
    `${good}#x`,
    good.replace('page=3', 'page=-1'),
    good.replace('page=3', 'page=03'),
    good.replace('page=3', 'page=3.5'),
    good.replace('page=3', 'page=1e3'),
    good.replace('page=3', 'page=10000000'),
    good.replace('page=3', 'page='),
    good.replace('pageBytes=100', 'pageBytes=0'),
    good.replace('pageBytes=100', 'pageBytes=1234567890'),
    good.replace(fileId, fileId.toUpperCase()),
    good.replace(fileId, fileId.slice(1)),
    good.replace(fileId, `${fileId}0`),
    good.replace(fileId, '..'),
    good.replace(fileId, `${fileId}@..`),
    good.replace(fileId, `../files/${fileId}`),
    good.replace(fileId, `%2e%2e%2f${fileId}`),
    good.replace(fileId, `${fileId}%00`),
    good.replace('/v1/', '//v1/'),
    `http://agent${good}`,
  ];
  for (const target of bad) assert.ok('problem' in parsePagePath(target), target);
});
