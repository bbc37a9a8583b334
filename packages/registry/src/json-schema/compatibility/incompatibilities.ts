import { registryLimits } from '../../limits.ts';
import type { CompatibilityOptions, Incompatibility } from '../../schema-format.ts';
import { isObject } from '../json-tree.ts';
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

/** Names of properties that a schema promises not to use, as its metadata lists them. */
export interface ReservedProperties {
  readonly reader: readonly string[];
  readonly writer: readonly string[];
}

/** Reserved names must stay reserved, and the reader must not have them as properties. */
export function reservedIncompatibilitiesOf(
  reader: SchemaDocuments,
  reserved: ReservedProperties,
  names: Names,
): Incompatibility[] {
  const found: Difference[] = [];
  const kept = new Set(reserved.reader);
  for (const name of new Set(reserved.writer)) {
    if (!kept.has(name)) found.push({ type: 'RESERVED_PROPERTY_REMOVED', path: name });
  }
  const properties = isObject(reader.root) ? reader.root.get('properties') : undefined;
  for (const name of kept) {
    if (isObject(properties) && properties.has(name))
      found.push({ type: 'RESERVED_PROPERTY_CONFLICTS_WITH_PROPERTY', path: `#/properties/${name}` });
  }
  return found.map((difference) => incompatibility(difference, names));
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
