import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileIdLevel, fileIdTimeMs } from './file-id-time.ts';
import { fileIdOf, fileOriginOf, fileReference, isFileReference } from './file-reference.ts';

const fileId = '0123456789ab2cdef0123456789abcde';

test('a reference names a file, and the cluster that it lies below if that is another one', () => {
  const own = fileReference(fileId, undefined);
  assert.deepEqual([own, fileIdOf(own), fileOriginOf(own)], [fileId, fileId, undefined]);
  const foreign = fileReference(fileId, 'vci_source');
  assert.deepEqual(
    [foreign, fileIdOf(foreign), fileOriginOf(foreign)],
    [`${fileId}@vci_source`, fileId, 'vci_source'],
  );
  assert.deepEqual([fileIdTimeMs(foreign), fileIdLevel(foreign)], [fileIdTimeMs(fileId), 2]);
});

test('what is no reference', () => {
  for (const text of [fileId, `${fileId}@vci_a-B`]) assert.ok(isFileReference(text), text);
  for (const text of [
    '',
    fileId.slice(1),
    `${fileId}@`,
    `${fileId}@a/b`,
    `${fileId}@..`,
    `${fileId}@a@b`,
    `${fileId}0`,
  ])
    assert.ok(!isFileReference(text), text);
});
