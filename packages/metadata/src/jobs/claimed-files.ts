/**
 * Files that jobs of different kinds work on. A merge of files and a compaction of keys over the same pointers would
 * refuse each other's commits, so that the later one leaves out what the other has.
 */
export class ClaimedFiles {
  readonly #byScope = new Map<string, readonly string[]>();
  #reserved: ReadonlySet<string> = new Set();

  /** Replaces what a job of this scope has. */
  claim(scope: string, fileIds: readonly string[]): void {
    this.#byScope.set(scope, fileIds);
  }

  /** Forgets the scopes that are not open any more. */
  keep(isOpen: (scope: string) => boolean): void {
    for (const scope of [...this.#byScope.keys()]) if (!isOpen(scope)) this.#byScope.delete(scope);
  }

  /** Files that a job waits for: those of other jobs in the way of it end, and no new ones should come. */
  reserve(fileIds: Iterable<string>): void {
    this.#reserved = new Set(fileIds);
  }

  /** Files of open jobs, without reserved ones. */
  claimed(): Set<string> {
    return new Set([...this.#byScope.values()].flat());
  }

  /** Files of open jobs, and reserved ones. */
  taken(): Set<string> {
    return this.claimed().union(this.#reserved);
  }
}
