import assert from 'node:assert/strict';

/** A record of the copy and the transaction that wrote it. */
export interface Copied {
  readonly partition: number;
  /** Offset of the original. */
  readonly offset: number;
  readonly transaction: string;
}

export function textOf({ partition, offset, transaction }: Copied): string {
  return `${partition}@${offset} ${transaction}`;
}

/** Receives what copiers do. */
export interface CopyLog {
  /** A transaction is about to write these records, whatever its outcome. */
  begin(transaction: string, copies: readonly Copied[]): void;
  /** Its commit request is about to be sent. */
  askCommit(transaction: string): void;
  /** It was abandoned before its commit was requested. */
  abort(transaction: string): void;
  /** Its commit was acknowledged. */
  commit(transaction: string): void;
}

/** Receives what read_committed readers see. `count` is the number of records before it in the partition. */
export interface ReadLog {
  read(reader: string, partition: number, count: number, text: string, offset: number): void;
}

function parseCopy(text: string): Copied {
  const [, partition, offset, transaction] = /^(\d+)@(\d+) (\S+)$/.exec(text)!;
  return { partition: Number(partition), offset: Number(offset), transaction: transaction! };
}

/**
 * What copiers did and what a read_committed reader sees of it. Invariants: the copy of a partition equals the
 * original, each record once and in order; a committed transaction is visible with all its records; an aborted one is
 * not visible at all.
 */
export class CopyHistory implements CopyLog, ReadLog {
  /** Record count of each transaction that was begun. */
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

  /** Checks a record that a reader has reached; `nextOriginal` is the original that it must be a copy of. */
  read(reader: string, partition: number, nextOriginal: number, text: string): void {
    const copied = parseCopy(text);
    const where = `${reader}: partition ${partition} of the copy`;
    assert.equal(copied.partition, partition, `${where}: ${text} belongs elsewhere`);
    assert.equal(copied.offset, nextOriginal, `${where}: ${text} where the copy of ${nextOriginal} belongs`);
    assert.ok(this.#recordCount.has(copied.transaction), `${where}: ${text} was never written`);
    assert.ok(!this.#aborted.has(copied.transaction), `${where}: ${text} is of an aborted transaction`);
  }

  /** Checks transactions against all records of the copy. */
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
