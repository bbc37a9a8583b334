/** The one way in which tools print results: a table for people, or JSON for programs, as `-output` says. */

import type { Deps } from '../deps.ts';
import type { FlagValues } from '../flags/catalogue.ts';
import { jsonLine } from './json-line.ts';
import { styled, type Tone } from './style.ts';
import { Table } from './table.ts';

type Values = Pick<FlagValues, 'output'>;

/** One result in both forms. */
interface Result {
  /** Printed as one line of JSON. The names of its fields are part of the interface. */
  readonly json: unknown;
  /** Printed as it is, so that it ends its last line. Texts of others are escaped. */
  text(): string;
}

/** Returns the exit status of a tool whose only result this is. */
export function printResult(
  { output: form }: Values,
  { output }: Pick<Deps, 'output'>,
  { json, text }: Result,
): 0 {
  output.out(form === 'json' ? jsonLine(json) : text());
  return 0;
}

/** How the rows of a result that may have no end are printed. */
interface RowForms<Row> {
  readonly header: readonly string[];
  cells(row: Row): readonly string[];
  /** The colour of a row of the table, on a terminal. */
  tone?(row: Row): Tone | undefined;
  /** Each row is one line of JSON. */
  json(row: Row): unknown;
}

/** Prints rows as they arrive. */
export class ResultRows<Row> {
  readonly #form: FlagValues['output'];
  readonly #output: Deps['output'];
  readonly #forms: RowForms<Row>;
  readonly #table: Table;

  constructor({ output: form }: Values, { output }: Pick<Deps, 'output'>, forms: RowForms<Row>) {
    this.#form = form;
    this.#output = output;
    this.#forms = forms;
    this.#table = new Table(forms.header);
  }

  /** Waits until the reader has caught up. */
  async print(rows: readonly Row[]): Promise<void> {
    const { cells, json, tone } = this.#forms;
    const style = (line: string, index: number) =>
      styled(line, tone?.(rows[index]!), this.#output.colours?.out);
    if (this.#form === 'json') for (const row of rows) this.#output.out(jsonLine(json(row)));
    else
      this.#output.out(
        this.#table.add(
          rows.map((row) => cells(row)),
          style,
        ),
      );
    await this.#output.drained();
  }
}
