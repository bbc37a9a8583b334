import type { FieldDescriptor, MessageDescriptor } from './random-messages.ts';

type Message = Readonly<Record<string, unknown>>;
type IsFieldSet = (message: unknown, field: unknown) => boolean;

/** A change that Confluent's rules allow although values are not kept. */
export class UnsoundChange extends Error {
  override name = 'UnsoundChange';
}

/**
 * What a message holds by the numbers of its fields, as a reader of another type has to find it: `reader` converts
 * values the way the language of schemas says. Fields that the reader lacks are left out, and so are zeros, which some
 * fields leave out themselves.
 */
export const contentFor = (
  message: Message,
  type: MessageDescriptor,
  reader: MessageDescriptor,
  isSet: IsFieldSet,
): Readonly<Record<number, unknown>> => {
  const content: Record<number, unknown> = {};
  for (const field of type.fields) {
    const target = reader.fields.find(({ number }) => number === field.number);
    if (target === undefined || !isSet(message, field)) continue;
    const value = kept(fieldValue(message, field), field, target, isSet);
    if (value !== undefined) content[field.number] = value;
  }
  return content;
};

const fieldValue = (message: Message, { oneof, localName }: FieldDescriptor): unknown =>
  oneof === undefined ? message[localName] : (message[oneof.localName] as { value: unknown }).value;

const kept = (
  value: unknown,
  field: FieldDescriptor,
  target: FieldDescriptor,
  isSet: IsFieldSet,
): unknown => {
  const one = (item: unknown) => {
    if (field.message === undefined) return scalarFor(item, target);
    const isKnown = field.message.typeName.startsWith('google.protobuf.');
    if (isKnown) return wellKnownContent(item);
    return contentFor(item as Message, field.message, target.message!, isSet);
  };
  const isText = field.scalar === 9 || field.scalar === 12;
  const wasList = field.fieldKind === 'list';
  // The label counts only if both schemas spell one: an unpacked reader takes a packed list for one number.
  if (wasList !== (target.fieldKind === 'list') && !isText)
    throw new UnsoundChange('a label that one of the schemas does not spell');
  if (field.fieldKind === 'map') {
    const entries = Object.entries(value as object).map(([key, item]) => [key, one(item)] as const);
    return entries.length === 0 ? undefined : Object.fromEntries(entries);
  }
  if (!wasList) return target.fieldKind === 'list' ? [one(value)] : withoutZero(one(value));
  const items = (value as readonly unknown[]).map(one).filter((item) => item !== undefined);
  if (items.length === 0) return undefined;
  return target.fieldKind === 'list' ? items : withoutZero(items.at(-1));
};

/** The runtime has plain values for some messages, but not for all fields that have them: a number is in no oneof. */
const wellKnownContent = (value: unknown): unknown => {
  if (typeof value === 'bigint') return { value: String(value) };
  const plain: unknown = JSON.parse(
    JSON.stringify(value, (_, item: unknown) => (typeof item === 'bigint' ? String(item) : item)),
  );
  if (typeof plain === 'object' && plain !== null && '$typeName' in plain) {
    const { $typeName: _, ...others } = plain;
    return others;
  }
  return plain;
};

const withoutZero = (value: unknown): unknown => (value === '0' || value === '' ? undefined : value);

/** A value of a scalar or an enum as the reader's type has it; a closed enum has no values that it does not name. */
const scalarFor = (value: unknown, target: FieldDescriptor): unknown => {
  if (typeof value === 'string') return value;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('latin1');
  if (target.scalar === 1 || target.scalar === 2) return String(value);
  const number = BigInt(value as number | bigint | boolean);
  if (target.enum !== undefined) {
    const read = Number(BigInt.asIntN(32, number));
    const isKnown = target.enum.open || target.enum.values.some((of) => of.number === read);
    return isKnown ? String(read) : undefined;
  }
  return String(castTo[target.scalar!]!(number));
};

const castTo: Readonly<Record<number, (value: bigint) => bigint>> = {
  3: (value) => BigInt.asIntN(64, value),
  4: (value) => BigInt.asUintN(64, value),
  5: (value) => BigInt.asIntN(32, value),
  6: (value) => BigInt.asUintN(64, value),
  7: (value) => BigInt.asUintN(32, value),
  8: (value) => (value === 0n ? 0n : 1n),
  13: (value) => BigInt.asUintN(32, value),
  15: (value) => BigInt.asIntN(32, value),
  16: (value) => BigInt.asIntN(64, value),
  17: (value) => BigInt.asIntN(32, value),
  18: (value) => BigInt.asIntN(64, value),
};
