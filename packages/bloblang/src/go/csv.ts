import { fail } from '../values/mapping-error.ts';

/** Reads records as Go's `encoding/csv` does: every record has as many fields as the first. */
export function parseCsv(text: string, delimiter: string, isLazy: boolean): string[][] {
  const reader = new CsvReader(text.replaceAll('\r\n', '\n'), delimiter, isLazy);
  return reader.read();
}

class CsvReader {
  readonly #text: string;
  readonly #delimiter: string;
  readonly #isLazy: boolean;
  #at = 0;
  #line = 1;

  constructor(text: string, delimiter: string, isLazy: boolean) {
    this.#text = text;
    this.#delimiter = delimiter;
    this.#isLazy = isLazy;
  }

  read(): string[][] {
    const records: string[][] = [];
    while (this.#at < this.#text.length) {
      if (this.#text[this.#at] === '\n') {
        this.#at++;
        this.#line++;
        continue;
      }
      const line = this.#line;
      const record = this.#record();
      if (records.length > 0 && record.length !== records[0]!.length)
        fail(`record on line ${line}: wrong number of fields`);
      records.push(record);
    }
    return records;
  }

  #record(): string[] {
    const fields: string[] = [];
    for (;;) {
      fields.push(this.#text[this.#at] === '"' ? this.#quoted() : this.#plain());
      const next = this.#text[this.#at];
      this.#at++;
      if (next === '\n') this.#line++;
      if (next === '\n' || next === undefined) return fields;
    }
  }

  #plain(): string {
    const start = this.#at;
    while (this.#at < this.#text.length && !this.#isEnd()) this.#at++;
    const field = this.#text.slice(start, this.#at);
    if (!this.#isLazy && field.includes('"'))
      fail(
        `parse error on line ${this.#line}, column ${start + field.indexOf('"') + 1}: bare " in non-quoted field`,
      );
    return field;
  }

  #isEnd(): boolean {
    return this.#text[this.#at] === '\n' || this.#text.startsWith(this.#delimiter, this.#at);
  }

  #quoted(): string {
    let field = '';
    this.#at++;
    for (;;) {
      const quote = this.#text.indexOf('"', this.#at);
      if (quote < 0) {
        if (!this.#isLazy) fail(`parse error on line ${this.#line}: extraneous or missing " in quoted-field`);
        field += this.#text.slice(this.#at);
        this.#at = this.#text.length;
        return field;
      }
      const part = this.#text.slice(this.#at, quote);
      this.#line += part.split('\n').length - 1;
      field += part;
      this.#at = quote + 1;
      if (this.#text[this.#at] === '"') {
        field += '"';
        this.#at++;
      } else if (this.#at >= this.#text.length || this.#isEnd()) return field;
      else if (this.#isLazy) field += '"';
      else fail(`parse error on line ${this.#line}: extraneous or missing " in quoted-field`);
    }
  }
}
