import { testGoClient } from './programs.ts';

testGoClient('franz-go', [
  'write and read none',
  'write and read gzip',
  'write and read snappy',
  'write and read lz4',
  'write and read zstd',
  'group, classic protocol',
  'group, consumer protocol',
  'transactions: GroupTransactSession',
  'create, describe and delete topics; create partitions',
  'describe and alter configs',
  'list, describe and delete groups; commit offsets',
  'list offsets, delete records',
  'create, describe and delete ACLs',
  'describe and alter SCRAM credentials',
  'describe the cluster',
]);
