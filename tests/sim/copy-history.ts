import assert from 'node:assert/strict';

/** A record of the copy, and which transaction wrote it. */
export interface Copied {
  readonly partition: number;
  /** Where the original lies. */
  readonly offset: number;
  readonly transaction: string;
}

export function textOf({ partition, offset, transaction }: Copied): string {
  return `${partition}@${offset} ${transaction}`;
}

/** What copiers tell of their work. */
export interface CopyLog {
  /** A transaction will write these records, wherever it comes to its end. */
  begin(transaction: string, copies: readonly Copied[]): void;
  /** Its commit will be asked for next. */
  askCommit(transaction: string): void;
  /** It was given up before its commit was asked for. */
  abort(transaction: string): void;
  /** Its commit was acknowledged. */
  commit(transaction: string): void;
}

/** What readers of committed records tell of their work. `count` is how many records of the partition came before. */
export interface ReadLog {
  read(reader: string, partition: number, count: number, text: string, offset: number): void;
}

function parseCopy(text: string): Copied {
  const [, partition, offset, transaction] = /^(\d+)@(\d+) (\S+)$/.exec(text)!;
  return { partition: Number(partition), offset: Number(offset), transaction: transaction! };
}

/**
 * What copiers did and what a reader of committed records sees of it. The promises: the copy of a partition is the original,
 * each record once and in order; a transaction that was committed is there with all its records, and nothing is there of
 * one that was aborted.
 */
export class CopyHistory implements CopyLog, ReadLog {
  /** The records of each transaction that was begun. */
  readonly #recordCount = new Map<string, number>();
  readonly #aborted = new Set<string>();
  readonly #committed = new Set<string>();

  begin(transaction: string, copies: readonly Copied[]): void {
    this.#recordCount.set(transaction, copies.length);
  }

  askCommit(): void {}

  abort(transaction: string): void {
    this.#aborted.add(transaction);
  }

  commit(transaction: string): void {
    this.#committed.add(transaction);
  }

  get counts(): { readonly transactionsCommitted: number; readonly transactionsAborted: number } {
    return { transactionsCommitted: this.#committed.size, transactionsAborted: this.#aborted.size };
  }

  /** A reader has come to a record, and is told which original it is. */
  read(reader: string, partition: number, nextOriginal: number, text: string): void {
    const copied = parseCopy(text);
    const where = `${reader}: partition ${partition} of the copy`;
    assert.equal(copied.partition, partition, `${where}: ${text} belongs elsewhere`);
    assert.equal(copied.offset, nextOriginal, `${where}: ${text} where the copy of ${nextOriginal} belongs`);
    assert.ok(this.#recordCount.has(copied.transaction), `${where}: ${text} was never written`);
    assert.ok(!this.#aborted.has(copied.transaction), `${where}: ${text} is of an aborted transaction`);
  }

  /** Checks transactions by everything that is in the copy. */
  checkWhole(texts: readonly string[]): void {
    const found = new Map<string, number>();
    for (const text of texts) {
      const { transaction } = parseCopy(text);
      found.set(transaction, (found.get(transaction) ?? 0) + 1);
    }
    for (const [transaction, count] of found) {
      assert.equal(count, this.#recordCount.get(transaction), `transaction ${transaction} is torn`);
    }
    for (const transaction of this.#committed) {
      assert.ok(found.has(transaction), `transaction ${transaction} was committed and is lost`);
    }
  }
}
