import { escapeControls } from '../problem.ts';

/** Colours a line of a table, by the index of its row. */
type LineStyle = (line: string, row: number) => string;

/**
 * A table that is printed while its rows arrive. Columns are as wide as the widest cell so far, so a table in one piece
 * is aligned throughout, and an endless one needs no memory.
 */
export class Table {
  readonly #header: readonly string[];
  readonly #widths: number[];
  #isBegun = false;

  constructor(header: readonly string[]) {
    this.#header = header;
    this.#widths = header.map((title) => title.length);
  }

  /** The text of further rows, with the header before the first. */
  add(rows: readonly (readonly string[])[], style: LineStyle = (line) => line): string {
    const safe = rows.map((row) => row.map(escapeControls));
    for (const row of safe) {
      for (const [index, cell] of row.entries()) {
        this.#widths[index] = Math.max(this.#widths[index] ?? 0, cell.length);
      }
    }
    const header = this.#isBegun ? '' : `${this.#line(this.#header)}\n`;
    this.#isBegun = true;
    return header + safe.map((row, index) => `${style(this.#line(row), index)}\n`).join('');
  }

  #line(row: readonly string[]): string {
    const cells = row.map((cell, index) => cell.padEnd(this.#widths[index] ?? 0));
    return cells.join('  ').trimEnd();
  }
}

/** A whole table at once. */
export function table(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  style?: LineStyle,
): string {
  return new Table(header).add(rows, style);
}
