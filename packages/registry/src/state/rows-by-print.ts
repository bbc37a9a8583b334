import { lowerBound } from '@weir/core';

/** What the index needs of a schema. */
interface PrintedRow {
  readonly context: string;
  readonly id: number;
  readonly print: string;
}

/**
 * Schemas by their fingerprint. Nearly all are alone with it, but several contexts may have the same schema, and
 * imports may give it any number of ids in one.
 */
export class RowsByPrint<Row extends PrintedRow> {
  /** A row that is alone, or rows by context, in order of their ids. */
  readonly #rows = new Map<string, Row | Map<string, Row[]>>();

  add(row: Row): void {
    const known = this.#rows.get(row.print);
    if (known === undefined) {
      this.#rows.set(row.print, row);
      return;
    }
    const byContext = known instanceof Map ? known : new Map([[known.context, [known]]]);
    if (byContext !== known) this.#rows.set(row.print, byContext);
    const rows = byContext.get(row.context);
    if (rows === undefined) byContext.set(row.context, [row]);
    else rows.splice(indexOf(rows, row.id), 0, row);
  }

  remove(row: Row): void {
    const known = this.#rows.get(row.print);
    if (known === row) this.#rows.delete(row.print);
    if (!(known instanceof Map)) return;
    const rows = known.get(row.context) ?? [];
    const index = indexOf(rows, row.id);
    if (rows[index] !== row) return;
    rows.splice(index, 1);
    if (rows.length === 0) known.delete(row.context);
    if (known.size === 0) this.#rows.delete(row.print);
  }

  /** Rows of all contexts, in the order of contexts and ids. */
  all(print: string): Row[] {
    const known = this.#rows.get(print);
    if (known === undefined) return [];
    if (!(known instanceof Map)) return [known];
    return [...known.keys()].sort().flatMap((context) => known.get(context)!);
  }

  /** Rows of one context, in the order of their ids. */
  inContext(print: string, context: string): readonly Row[] {
    const known = this.#rows.get(print);
    if (known instanceof Map) return known.get(context) ?? [];
    return known?.context === context ? [known] : [];
  }
}

function indexOf(rows: readonly PrintedRow[], id: number): number {
  return lowerBound(rows, (row) => row.id < id);
}
