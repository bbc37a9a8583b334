import { isUtf8 } from 'node:buffer';
import { MappingFailure, parseDocument } from '@weir/bloblang';
import type { RowValue } from '../parquet/parquet-writer.ts';
import type { RowMeter } from './convert-values.ts';
import { exactJsonParser } from './exact-json.ts';
import { fail, RowFault } from './row-fault.ts';
import { type ObjectScan, objectScanOf } from './scan-json.ts';
import { DocumentReader, type RowContext, type ValueReader } from './value-reader.ts';

/** Reads records that are JSON objects. */
export function jsonReader(context: RowContext): ValueReader {
  // Mappings have integers of any size and doubles; they know no other number.
  if (context.mappings.length > 0) return new DocumentReader(parsedForMappings, context);
  const parse = exactJsonParser(context.columns);
  const documents = new DocumentReader((value) => {
    const text = textOf(value);
    try {
      return parse(text);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      return fail('decode', `the value is no JSON: ${whyNot(error)}`);
    }
  }, context);
  const scan = objectScanOf(context.columns, context);
  return scan === undefined ? documents : new ScannedReader(scan, documents, context);
}

/** Reads what is usual by looking at its text, and anything else as a document. */
class ScannedReader implements ValueReader {
  readonly #scan: ObjectScan;
  readonly #documents: ValueReader;
  readonly #meter: RowMeter;
  readonly #values: (RowValue | undefined)[];

  constructor(scan: ObjectScan, documents: ValueReader, { columns, meter }: RowContext) {
    this.#scan = scan;
    this.#documents = documents;
    this.#meter = meter;
    this.#values = new Array(columns.length).fill(undefined);
  }

  read(value: Uint8Array, columns: readonly RowValue[][], row: number): boolean {
    const bytesBefore = this.#meter.bytes;
    const values = this.#values;
    if (!this.#isScanned(textOf(value))) {
      this.#meter.bytes = bytesBefore;
      return this.#documents.read(value, columns, row);
    }
    for (let at = 0; at < values.length; at++) columns[at]![row] = values[at]!;
    return true;
  }

  #isScanned(text: string): boolean {
    try {
      return this.#scan(text, this.#values);
    } catch (error) {
      if (error instanceof RowFault) return false;
      throw error;
    }
  }
}

function parsedForMappings(value: Uint8Array): unknown {
  try {
    return parseDocument(Buffer.from(textOf(value)));
  } catch (error) {
    if (!(error instanceof MappingFailure)) throw error;
    return fail('decode', error.message);
  }
}

function textOf(value: Uint8Array): string {
  const bytes =
    value instanceof Buffer ? value : Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  const text = bytes.toString();
  // What is no UTF-8 became this character, which a text may also have.
  if (text.includes('\ufffd') && !isUtf8(bytes)) fail('decode', 'the value is no JSON: it is not UTF-8');
  return text;
}

/** What V8 says, without the parts of the value that it repeats. */
function whyNot({ message }: Error): string {
  const [what] = message.split(/,? (?:"|\.\.\.)/, 1);
  return (what ?? message).replace(/ in JSON.*$/s, '').slice(0, 200) || 'it does not parse';
}
