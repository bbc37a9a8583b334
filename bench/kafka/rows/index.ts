import type { BenchRow } from '../bench-run.ts';
import { encryptedRow } from './encrypted.ts';
import { endToEndRows } from './end-to-end.ts';
import { fetchRows } from './fetch.ts';
import { manyPartitionsRow } from './many-partitions.ts';
import { produceRows } from './produce.ts';
import { slowStoreRows } from './slow-store.ts';
import { steadyRows } from './steady.ts';

export const benchRows: readonly BenchRow[] = [
  ...produceRows,
  encryptedRow,
  ...fetchRows,
  ...endToEndRows,
  ...slowStoreRows,
  ...steadyRows,
  manyPartitionsRow,
];
