import type { DataFile } from '../src/manifests/data-file.ts';
import type { Value } from '../src/values/value.ts';

/** A data file in short, of a table that is not partitioned if nothing else is said. */
export function dataFile(path: string, parts: Partial<DataFile> & { readonly rows?: number } = {}): DataFile {
  const { rows = 1, ...others } = parts;
  const partition: readonly (Value | null)[] = [];
  return {
    content: 'data',
    path,
    format: 'PARQUET',
    specId: 0,
    partition,
    recordCount: BigInt(rows),
    fileBytes: 1000n,
    columns: new Map(),
    ...others,
  };
}
