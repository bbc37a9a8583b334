import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FileCommit } from '@weir/cluster';
import { GiB } from '@weir/core';
import { fileCommit, fileIdOf } from '../testing/file-commit.ts';
import { memoryBytes } from '../testing/memory-bytes.ts';
import { ClusterMachine } from './machine.ts';
import { defaultLimits } from './machine-limits.ts';

/** Memory per pointer, including its share of all other structures. */
function bytesPerPointer(partitions: number, files: number, pointersPerFile: number): number {
  const machine = ClusterMachine.empty('vci_test', { ...defaultLimits, recentFilesMax: 10 });
  const topics = [{ name: 'a', partitionCount: partitions, configs: {} }];
  machine.execute({ kind: 'createTopics', topics, topicIds: ['a'], validateOnly: false }, 0);
  const rows = Array.from({ length: pointersPerFile }, () => ({ topicId: 'a' }));
  const template = fileCommit(0, rows);
  const before = memoryBytes();
  for (let number = 0; number < files; number++) {
    const file: FileCommit = { ...template, fileId: fileIdOf(number) };
    for (let row = 0; row < pointersPerFile; row++) {
      file.partition[row] = (number * pointersPerFile + row) % partitions;
    }
    machine.execute({ kind: 'commitFiles', files: [file] }, number);
  }
  const grown = memoryBytes() - before;
  assert.notEqual(machine.topicById('a'), undefined);
  return grown / (files * pointersPerFile);
}

test('a transaction marker costs no more than a pointer', () => {
  const machine = ClusterMachine.empty('vci_test');
  const partitionCount = 1000;
  const topics = [{ name: 'a', partitionCount, configs: {} }];
  machine.execute({ kind: 'createTopics', topics, topicIds: ['a'], validateOnly: false }, 0);
  const init = { transactionalId: 'tx', timeoutMs: 1000, producerId: -1, producerEpoch: -1 };
  const { producerId } = machine.execute({ kind: 'initTransactionalProducer', request: init }, 0).reply;
  const partitions = Array.from({ length: partitionCount }, (_, partition) => ({ topicId: 'a', partition }));
  const caller = { transactionalId: 'tx', producerId, producerEpoch: 0 };
  const rounds = 300;
  const before = memoryBytes();
  for (let round = 0; round < rounds; round++) {
    const origin = { connection: 'c', request: round };
    machine.execute({ kind: 'addPartitionsToTransaction', request: { ...caller, origin, partitions } }, 0);
    const request = {
      ...caller,
      origin: { connection: 'c', request: rounds + round },
      isCommit: true,
      bumpsEpoch: false,
    };
    assert.equal(machine.execute({ kind: 'endTransaction', request }, 0).reply.error, 'NONE');
  }
  const bytes = (memoryBytes() - before) / (rounds * partitionCount);
  assert.equal(machine.stats().pointers, rounds * partitionCount);
  assert.ok(bytes < 54, `${bytes.toFixed(1)} bytes per marker`);
});

const shapes: [what: string, partitions: number, files: number, pointersPerFile: number][] = [
  ['wide files', 1000, 1000, 500],
  ['narrow files over many partitions', 10_000, 50_000, 10],
  ['a file per pointer', 10, 300_000, 1],
];

for (const [what, partitions, files, pointersPerFile] of shapes) {
  test(`ten million pointers fit in 1 GiB: ${what}`, () => {
    const bytes = bytesPerPointer(partitions, files, pointersPerFile);
    assert.ok(bytes * 10_000_000 < GiB, `${bytes.toFixed(1)} bytes per pointer`);
  });
}
