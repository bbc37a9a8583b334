import { registryLimits } from '../../limits.ts';
import type { CompatibilityOptions, Incompatibility } from '../../schema-format.ts';
import { TreeKeys } from '../print-json.ts';
import type { SchemaDocuments } from '../schema-documents.ts';
import { ComparisonTooLarge } from './comparing.ts';
import { Comparison, type Difference } from './comparison.ts';
import { type DifferenceType, differenceTypes } from './difference-types.ts';
import { Shapes } from './shape.ts';

type Names = Pick<CompatibilityOptions, 'reader'>;

/** All differences that prevent `reader` from reading what `writer` allows. */
export function incompatibilitiesOf(
  reader: SchemaDocuments,
  writer: SchemaDocuments,
  options: CompatibilityOptions,
): Incompatibility[] {
  try {
    return differencesOf(writer, reader, options.policy, 'incompatible').map((difference) =>
      incompatibility(difference, options),
    );
  } catch (error) {
    if (!(error instanceof ComparisonTooLarge)) throw error;
    const type = 'COMPARISON_TOO_LARGE';
    const limit = `more than ${registryLimits.jsonComparisonPairsMax} pairs of subschemas or too many steps`;
    const text = `the schemas cannot be compared: that takes ${limit}; use fewer alternatives`;
    return [{ type, path: '#/', message: messageOf(type, text) }];
  }
}

/** The differences from one schema to another. Throws `ComparisonTooLarge`. */
export function differencesOf(
  original: SchemaDocuments,
  update: SchemaDocuments,
  policy: CompatibilityOptions['policy'],
  wanted: 'all' | 'incompatible',
): Difference[] {
  const keys = new TreeKeys();
  const from = new Shapes(original, keys);
  const to = new Shapes(update, keys);
  return new Comparison(policy).differences(from.root, to.root, wanted);
}

function incompatibility({ type, path }: Difference, { reader }: Names): Incompatibility {
  const other = reader === 'new' ? 'old' : 'new';
  const text = differenceTypes[type].text.replace(/\{(\w+)\}/g, (_, name) =>
    name === 'update' ? reader : name === 'original' ? other : path,
  );
  return { type, path, message: messageOf(type, text) };
}

/** The single quote at the end is what Confluent's registry sends, and clients compare. */
function messageOf(type: DifferenceType | 'COMPARISON_TOO_LARGE', text: string): string {
  return `{errorType:"${type}", description:"${text}'}`;
}
