import { isUtf8 } from 'node:buffer';
import { registryLimits } from '../limits.ts';
import { InvalidPayload } from '../schema-format.ts';
import { notUtf8, wrongWireType } from './decode-message.ts';
import type { PayloadReader } from './payload-reader.ts';
import type { FieldType, MessageType } from './types.ts';

const depthMax = registryLimits.protobufPayloadDepthMax;

/** What a check of messages of one type needs, found once per type. */
interface Plan {
  /** By number. Nearly all fields have small ones. */
  readonly listed: readonly (PlannedField | undefined)[];
  readonly fields: ReadonlyMap<number, PlannedField>;
  readonly requiredCount: number;
}

const listedCount = 64;
/** Shorter texts are checked here: most are ASCII, and a call of the runtime costs more. */
const shortTextBytes = 96;

interface PlannedField {
  readonly field: FieldType;
  readonly wireType: number;
  readonly isPackable: boolean;
  /** The size of a fixed value in a packed field; 0 for varints. */
  readonly itemBytes: number;
  readonly validatesUtf8: boolean;
  readonly message: MessageType | undefined;
  /** The plan of the message, once a payload had one. */
  plan: Plan | undefined;
  /** The position among required fields, or -1. */
  readonly requiredAt: number;
}

const plans = new WeakMap<MessageType, Plan>();

const planOf = (type: MessageType): Plan => {
  let plan = plans.get(type);
  if (plan === undefined) {
    let requiredCount = 0;
    const fields = new Map<number, PlannedField>();
    for (const field of type.fields) {
      fields.set(field.number, {
        field,
        wireType: field.wireType,
        isPackable: field.isPackable,
        itemBytes: field.wireType === 1 ? 8 : field.wireType === 5 ? 4 : 0,
        validatesUtf8: field.validatesUtf8,
        message: typeof field.type === 'object' && field.type.kind === 'message' ? field.type : undefined,
        plan: undefined,
        requiredAt: field.isRequired ? requiredCount++ : -1,
      });
    }
    const listed = Array.from({ length: listedCount }, (_, number) => fields.get(number));
    plan = { listed, fields, requiredCount };
    plans.set(type, plan);
  }
  return plan;
};

/**
 * Checks that bytes are a message of a type, without decoding values: wire types, lengths, UTF-8, messages within,
 * required fields. Fields that the schema does not have are skipped. Throws `InvalidPayload`.
 */
export const checkMessageBytes = (reader: PayloadReader, type: MessageType): void =>
  check(reader, planOf(type), 0, 0);

const checkInner = (reader: PayloadReader, planned: PlannedField, depth: number, group: number): void => {
  planned.plan ??= planOf(planned.message!);
  check(reader, planned.plan, depth, group);
};

const check = (reader: PayloadReader, plan: Plan, depth: number, group: number): void => {
  if (depth > depthMax) throw new InvalidPayload(`messages are nested deeper than ${depthMax}`);
  const seen = plan.requiredCount === 0 ? undefined : new Set<number>();
  let hasEnded = group === 0;
  while (reader.at < reader.end) {
    const tag = reader.tag();
    const wireType = tag & 7;
    const number = tag >>> 3;
    if (wireType === 4 && number === group) {
      hasEnded = true;
      break;
    }
    const planned = number < plan.listed.length ? plan.listed[number] : plan.fields.get(number);
    if (planned === undefined) {
      reader.skipField(tag, depth, depthMax);
      continue;
    }
    if (planned.requiredAt >= 0) seen!.add(planned.requiredAt);
    if (wireType === planned.wireType) checkValue(reader, planned, depth);
    else if (wireType === 2 && planned.isPackable) checkPacked(reader, planned);
    else throw wrongWireType(planned.field, wireType);
  }
  if (!hasEnded) throw new InvalidPayload('truncated group: its end tag is missing');
  if (seen !== undefined && seen.size < plan.requiredCount) {
    const missing = [...plan.fields.values()].find(
      ({ requiredAt }) => requiredAt >= 0 && !seen.has(requiredAt),
    )!;
    throw new InvalidPayload(`required field ${missing.field.fullName} is missing`);
  }
};

const checkValue = (reader: PayloadReader, planned: PlannedField, depth: number): void => {
  switch (planned.wireType) {
    case 0:
      reader.skipVarint();
      return;
    case 1:
      reader.skip(8);
      return;
    case 5:
      reader.skip(4);
      return;
    case 3:
      checkInner(reader, planned, depth + 1, planned.field.number);
      return;
    default: {
      const length = reader.length();
      const from = reader.at;
      if (planned.message !== undefined) {
        const { end } = reader;
        reader.end = from + length;
        checkInner(reader, planned, depth + 1, 0);
        reader.end = end;
        return;
      }
      reader.at = from + length;
      if (planned.validatesUtf8 && !isText(reader.bytes, from, reader.at)) throw notUtf8(planned.field);
    }
  }
};

const isText = (bytes: Uint8Array, from: number, to: number): boolean => {
  if (to - from <= shortTextBytes) {
    let at = from;
    while (at < to && bytes[at]! < 0x80) at += 1;
    if (at === to) return true;
  }
  return isUtf8(bytes.subarray(from, to));
};

const checkPacked = (reader: PayloadReader, planned: PlannedField): void => {
  const length = reader.length();
  const last = reader.at + length;
  if (planned.itemBytes > 0) {
    if (length % planned.itemBytes !== 0) {
      throw new InvalidPayload(`field ${planned.field.fullName} has a truncated value`);
    }
    reader.at = last;
    return;
  }
  const { end } = reader;
  reader.end = last;
  while (reader.at < last) reader.skipVarint();
  reader.end = end;
};
