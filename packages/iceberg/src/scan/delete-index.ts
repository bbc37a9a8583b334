/** Which delete files are about which data files, by their sequence numbers and partitions. */
import type { DataFile, LiveEntry } from '../manifests/data-file.ts';
import { specOfId, type TableMetadata } from '../metadata/table-metadata.ts';
import { partitionKey } from '../partitions/partition-key.ts';

export class DeleteIndex {
  /** By partition. */
  readonly #inPartition: ReadonlyMap<string, readonly LiveEntry[]>;
  /** Equality deletes without a partition are about all files. */
  readonly #everywhere: readonly LiveEntry[];

  constructor(deletes: readonly LiveEntry[], metadata: TableMetadata) {
    const isEverywhere = ({ file }: LiveEntry) =>
      file.content === 'equality-deletes' && isUnpartitioned(metadata, file.specId);
    this.#everywhere = deletes.filter(isEverywhere);
    this.#inPartition = Map.groupBy(
      deletes.filter((entry) => !isEverywhere(entry)),
      ({ file }) => partitionKey(file),
    );
  }

  /** Those that may be about rows of one of the data files, each once. */
  about(data: readonly LiveEntry[]): LiveEntry[] {
    const found = new Set<LiveEntry>();
    for (const [key, entries] of Map.groupBy(data, ({ file }) => partitionKey(file))) {
      const paths = new Set(entries.map(({ file }) => file.path));
      const oldest = oldestOf(entries);
      for (const entry of this.#inPartition.get(key) ?? [])
        if (isAbout(entry, oldest) && namesOneOf(entry.file, paths)) found.add(entry);
    }
    if (data.length > 0) {
      const oldest = oldestOf(data);
      for (const entry of this.#everywhere) if (isAbout(entry, oldest)) found.add(entry);
    }
    return [...found];
  }
}

/** A table may have had no partitions at first, or none any more. */
export function isUnpartitioned(metadata: TableMetadata, specId: number): boolean {
  return specOfId(metadata, specId).fields.every(({ transform }) => transform.kind === 'void');
}

/** Position deletes are about rows of their own commit too, equality deletes only about earlier ones. */
function isAbout({ sequenceNumber, file }: LiveEntry, oldest: bigint): boolean {
  return file.content === 'position-deletes' ? oldest <= sequenceNumber : oldest < sequenceNumber;
}

function namesOneOf({ referencedDataFile }: DataFile, paths: ReadonlySet<string>): boolean {
  return referencedDataFile === undefined || paths.has(referencedDataFile);
}

function oldestOf(entries: readonly LiveEntry[]): bigint {
  return entries.reduce(
    (oldest, { sequenceNumber }) => (sequenceNumber < oldest ? sequenceNumber : oldest),
    entries[0]!.sequenceNumber,
  );
}
