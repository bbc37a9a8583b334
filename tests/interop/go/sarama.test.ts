import { testGoClient } from './programs.ts';

testGoClient('sarama', [
  'idempotent producer, and reading a partition',
  'group',
  'create, describe and delete topics',
  'create, list and delete ACLs',
  'describe the cluster',
]);
