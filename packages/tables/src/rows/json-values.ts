import { isUtf8 } from 'node:buffer';
import { MappingFailure, parseDocument } from '@weir/bloblang';
import { exactJsonParser } from './exact-json.ts';
import { fail } from './row-fault.ts';
import { DocumentReader, type RowContext, type ValueReader } from './value-reader.ts';

/** Reads records that are JSON objects. */
export function jsonReader(context: RowContext): ValueReader {
  // Mappings have integers of any size and doubles; they know no other number.
  if (context.mappings.length > 0) return new DocumentReader(parsedForMappings, context);
  const parse = exactJsonParser(context.columns);
  return new DocumentReader((value) => {
    const text = textOf(value);
    try {
      return parse(text);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      return fail('decode', `the value is no JSON: ${whyNot(error)}`);
    }
  }, context);
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
