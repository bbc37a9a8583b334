import { jobLimits } from './limits.ts';

interface Orphan {
  readonly fileId: string;
  readonly byteCount: number;
}

/**
 * The files of a scan that its cluster does not know. A few of them are what failed commits leave. If they are most of
 * the files, the database is more likely not the one that wrote the bucket, and its cluster must not declare them dead.
 */
export class HeldOrphans {
  readonly #percentMax: number;
  #held: Orphan[] = [];
  #seen: number;
  #unknown: number;

  /** `seen` files were looked at before, and `unknown` of them were declared dead. */
  constructor(percentMax: number, seen: number, unknown: number) {
    this.#percentMax = percentMax;
    this.#seen = seen;
    this.#unknown = unknown;
  }

  /** Files that were looked at, those before this scan included. */
  get seen(): number {
    return this.#seen;
  }

  get isEmpty(): boolean {
    return this.#held.length === 0;
  }

  add(seen: number, unknown: readonly Orphan[]): void {
    this.#seen += seen;
    this.#unknown += unknown.length;
    this.#held.push(...unknown);
  }

  /** Returns the orphans that may be declared dead now: all that are held, while they are a usual share. */
  take(): readonly Orphan[] {
    return this.#isUsual ? this.takeAll() : [];
  }

  /** Returns all that are held, however large their share is: at the end of a scan they are few. */
  takeAll(): readonly Orphan[] {
    const taken = this.#held;
    this.#held = [];
    return taken;
  }

  /** Returns why the scan has to stop. */
  problem(): string | undefined {
    if (this.#isUsual || this.#held.length <= jobLimits.heldOrphansMax) return undefined;
    return `${this.#unknown} of the ${this.#seen} files seen are unknown to this cluster, more than ${this.#percentMax} %; none of them was touched. If this database is not the newest of the bucket, stop its control plane; if the files may be deleted, set service.dead.file.scan.orphan.percent.max to 100 until the next scan is done`;
  }

  get #isUsual(): boolean {
    return 100 * this.#unknown <= this.#percentMax * this.#seen;
  }
}
