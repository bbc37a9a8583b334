/**
 * What all tables of a process hold in open files together. A table that wants more when there is none closes the
 * largest file, or waits until the table that has it does.
 */
export interface BudgetUser {
  /** Of its largest open file. */
  largestBytes(): number;
  /** Closes its largest file as soon as it can, by itself. */
  askToClose(): void;
  closeLargest(): Promise<void>;
}

interface RowBudgetLimits {
  readonly bytesMax: number;
  readonly filesMax: number;
}

export class RowBudget {
  readonly #limits: RowBudgetLimits;
  readonly #users = new Set<BudgetUser>();
  #bytes = 0;
  #files = 0;
  #waiting: (() => void)[] = [];

  constructor(limits: RowBudgetLimits) {
    this.#limits = limits;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get files(): number {
    return this.#files;
  }

  join(user: BudgetUser): void {
    this.#users.add(user);
  }

  leave(user: BudgetUser): void {
    this.#users.delete(user);
    this.#changed();
  }

  /** Counts what was opened or appended; negative for what was closed. */
  add(bytes: number, files: number): void {
    this.#bytes += bytes;
    this.#files += files;
    if (bytes < 0 || files < 0) this.#changed();
  }

  /** Resolves once there is room for another batch. */
  async room(user: BudgetUser): Promise<void> {
    while (this.#isFull()) {
      let largest: BudgetUser | undefined;
      for (const one of this.#users) if (one.largestBytes() > (largest?.largestBytes() ?? 0)) largest = one;
      // Only files that are being closed: they count until they are stored.
      if (largest === undefined) await this.#change();
      else if (largest === user) await user.closeLargest();
      else {
        largest.askToClose();
        await this.#change();
      }
    }
  }

  #isFull(): boolean {
    return this.#bytes >= this.#limits.bytesMax || this.#files >= this.#limits.filesMax;
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #changed(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
