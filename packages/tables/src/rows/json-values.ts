import { isAscii, isUtf8 } from 'node:buffer';
import { MappingFailure, parseDocument } from '@weir/bloblang';
import { parseExactJson } from './exact-json.ts';
import { fail } from './row-fault.ts';
import { DocumentReader, type RowContext, type ValueReader } from './value-reader.ts';

/** Reads records that are JSON objects. */
export function jsonReader(context: RowContext): ValueReader {
  // Mappings have integers of any size and doubles; they know no other number.
  if (context.mappings.length > 0) return new DocumentReader(parsedForMappings, context);
  const keepsSmall = JSON.stringify(context.columns).includes('"decimal"');
  return new DocumentReader((value) => parsed(value, keepsSmall), context);
}

function parsed(value: Uint8Array, keepsSmall: boolean): unknown {
  const text = textOf(value);
  try {
    return parseExactJson(text, { keepsSmall });
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return fail('decode', `the value is no JSON: ${whyNot(error)}`);
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
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  // Twice as fast as UTF-8.
  if (isAscii(bytes)) return bytes.toString('latin1');
  if (!isUtf8(bytes)) return fail('decode', 'the value is no JSON: it is not UTF-8');
  return bytes.toString();
}

/** What V8 says, without the parts of the value that it repeats. */
function whyNot({ message }: Error): string {
  const [what] = message.split(/,? (?:"|\.\.\.)/, 1);
  return (what ?? message).replace(/ in JSON.*$/s, '').slice(0, 200) || 'it does not parse';
}
