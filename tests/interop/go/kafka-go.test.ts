import { testGoClient } from './programs.ts';

testGoClient('kafka-go', [
  'write and read',
  'group',
  'create, list and delete topics',
  'create, describe and delete ACLs',
]);
