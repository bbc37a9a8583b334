import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FilePointers } from '@weir/cluster';
import { fileIdOf } from '@weir/core';
import { logFileKey, type ObjectStore } from '@weir/storage';
import { emptyMemoryStore } from '@weir/storage/testing';
import { filesToCheck } from './files-to-check.ts';

const clusterId = 'vci_test';
const idIn = (folder: string, number: number) =>
  `018bcfe568000000${String(number).padStart(14, '0')}${folder}`;

/** Metadata that refers to files without pointers. */
function metadataOf(references: readonly string[]) {
  return {
    bucket: 0,
    pointersOfFiles(firstFolder: number, endFolder: number): FilePointers {
      const folderOf = (reference: string) => Number.parseInt(fileIdOf(reference).slice(-2), 16);
      const fileId = references.filter((one) => folderOf(one) >= firstFolder && folderOf(one) < endFolder);
      fileId.sort((a, b) => folderOf(a) - folderOf(b) || (a < b ? -1 : 1));
      return {
        fileId,
        fileBytes: new Float64Array(fileId.length).fill(3),
        firstRow: new Uint32Array(fileId.length + 1),
        logs: [],
        log: new Uint32Array(0),
        byteStart: new Uint32Array(0),
        byteLength: new Uint32Array(0),
        baseOffset: new Float64Array(0),
        nextOffset: new Float64Array(0),
      };
    },
  };
}

async function storeWith(fileIds: readonly string[]): Promise<ObjectStore> {
  const store = emptyMemoryStore();
  for (const fileId of fileIds) await store.put(logFileKey(clusterId, fileId), [Buffer.from('abc')]);
  return store;
}

const both = [idIn('00', 1), idIn('0f', 2), idIn('10', 3), idIn('ff', 4)];
const listedOnly = [idIn('00', 2), idIn('20', 1)];
const referencedOnly = [idIn('00', 0), idIn('1f', 9), `${idIn('0f', 1)}@vci_source`, idIn('ff', 5)];

test('files of the bucket and of metadata come in one order, and it can be continued after each', async () => {
  const store = await storeWith([...both, ...listedOnly]);
  await store.put(`service/${clusterId}/0f/README`, [Buffer.from('no file')]);
  await store.put(`service/${clusterId}/bucket-id`, [Buffer.from('no file')]);
  const metadata = metadataOf([...both, ...referencedOnly]);
  const all = async (startAfter: string) =>
    (await Array.fromAsync(filesToCheck(store, clusterId, metadata, startAfter, 3))).flat();
  const found = await all(`service/${clusterId}/`);
  const shown = found.map(({ key, listed, referenced }) => {
    return `${key.slice(8)}${listed ? ' listed' : ''}${referenced ? ' referenced' : ''}`;
  });
  assert.deepEqual(shown, [
    `vci_test/00/${idIn('00', 0)} referenced`,
    `vci_test/00/${idIn('00', 1)} listed referenced`,
    `vci_test/00/${idIn('00', 2)} listed`,
    `vci_source/0f/${idIn('0f', 1)} referenced`,
    `vci_test/0f/${idIn('0f', 2)} listed referenced`,
    `vci_test/10/${idIn('10', 3)} listed referenced`,
    `vci_test/1f/${idIn('1f', 9)} referenced`,
    `vci_test/20/${idIn('20', 1)} listed`,
    `vci_test/ff/${idIn('ff', 4)} listed referenced`,
    `vci_test/ff/${idIn('ff', 5)} referenced`,
  ]);
  for (const [index, { place }] of found.entries())
    assert.deepEqual(await all(place), found.slice(index + 1), place);
  const alone = await Array.fromAsync(filesToCheck(store, clusterId, undefined, `service/${clusterId}/`, 3));
  assert.equal(alone.flat().length, both.length + listedOnly.length);
});
