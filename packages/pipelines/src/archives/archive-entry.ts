/** A file of an archive. */
export interface ArchiveEntry {
  readonly name: string;
  readonly content: Buffer;
}
