import { InvalidProtobuf, type ProtobufValue, protobufBytes, protobufFields, protobufText } from '@weir/core';
import { type FoundLine, jsonObject, pausePoint } from './log-line.ts';
import { type Attributes, addAttribute, checkSize, doubleJson, LineBounds } from './otlp-attributes.ts';
import { emptyOtlpRecord, type OtlpRecord, OtlpResource, OtlpScope, otlpLine } from './otlp-record.ts';
import { orRefused } from './otlp-refusal.ts';
import type { ParseSteps } from './parse-steps.ts';

type Field = { readonly number: number } & ProtobufValue;

/**
 * Finds the lines of an `ExportLogsServiceRequest`, with the field numbers of OpenTelemetry's definitions below.
 * Resources and scopes are read first, wherever they stand in their messages. Unknown fields are skipped.
 */
export function* otlpProtobufLines(body: Buffer, steps: ParseSteps): Generator<FoundLine> {
  for (const ofRequest of protobufFields(body)) {
    if (steps.isOver()) yield pausePoint;
    if (ofRequest.number !== 1) continue;
    const resourceLogs = protobufBytes(ofRequest);
    let attributes: Attributes = new Map();
    for (const field of protobufFields(resourceLogs)) {
      if (steps.isOver()) yield pausePoint;
      if (field.number === 1) attributes = attributesIn(protobufBytes(field), 1, new LineBounds(steps));
    }
    const resource = new OtlpResource(attributes);
    for (const field of protobufFields(resourceLogs)) {
      if (steps.isOver()) yield pausePoint;
      if (field.number === 2) yield* linesOfScope(protobufBytes(field), resource, steps);
    }
  }
}

function* linesOfScope(scopeLogs: Buffer, resource: OtlpResource, steps: ParseSteps): Generator<FoundLine> {
  let given = { name: '', version: '', attributes: new Map<string, string>() as Attributes };
  for (const field of protobufFields(scopeLogs)) {
    if (steps.isOver()) yield pausePoint;
    if (field.number === 1) given = scopeOf(protobufBytes(field), new LineBounds(steps));
  }
  let scope: OtlpScope | undefined;
  for (const field of protobufFields(scopeLogs)) {
    if (steps.isOver()) yield pausePoint;
    if (field.number !== 2) continue;
    scope ??= new OtlpScope(resource, given);
    const record = protobufBytes(field);
    const known = scope;
    yield orRefused(() => otlpLine(known, recordOf(record, new LineBounds(steps))));
  }
}

function scopeOf(message: Buffer, bounds: LineBounds) {
  checkSize(message.length);
  let name = '';
  let version = '';
  for (const field of protobufFields(message)) {
    bounds.field(field);
    if (field.number === 1) name = protobufText(field);
    if (field.number === 2) version = protobufText(field);
  }
  return { name, version, attributes: attributesIn(message, 3, bounds) };
}

function recordOf(message: Buffer, bounds: LineBounds): OtlpRecord {
  checkSize(message.length);
  const record: { -readonly [Name in keyof OtlpRecord]: OtlpRecord[Name] } = { ...emptyOtlpRecord };
  const attributes = new Map<string, string>();
  for (const field of protobufFields(message)) {
    bounds.field(field);
    switch (field.number) {
      case 1:
        record.timeNs = fixed64(field);
        break;
      case 2:
        record.severityNumber = int32(field);
        break;
      case 3:
        record.severityText = protobufText(field);
        break;
      case 5:
        record.body = valueJson(protobufBytes(field), 1, bounds);
        break;
      case 6:
        addPair(attributes, protobufBytes(field), 1, bounds);
        break;
      case 7:
        record.droppedAttributes = int32(field);
        break;
      case 8:
        if (field.wireType === 'fixed32') record.flags = field.bytes.readUInt32LE();
        break;
      case 9:
        record.traceId = protobufBytes(field).toString('hex');
        break;
      case 10:
        record.spanId = protobufBytes(field).toString('hex');
        break;
      case 11:
        record.observedNs = fixed64(field);
        break;
      case 12:
        record.eventName = protobufText(field);
        break;
    }
  }
  return { ...record, attributes };
}

/** The attributes that a message has in fields of a number. */
function attributesIn(message: Buffer, number: number, bounds: LineBounds): Attributes {
  checkSize(message.length);
  const attributes = new Map<string, string>();
  for (const field of protobufFields(message)) {
    bounds.field(field);
    if (field.number === number) addPair(attributes, protobufBytes(field), 1, bounds);
  }
  return attributes;
}

function addPair(members: Map<string, string>, pair: Buffer, depth: number, bounds: LineBounds): void {
  let name = '';
  let value = 'null';
  for (const field of protobufFields(pair)) {
    bounds.field(field);
    if (field.number === 1) name = protobufText(field);
    if (field.number === 2) value = valueJson(protobufBytes(field), depth, bounds);
  }
  addAttribute(members, name, value);
}

/** An `AnyValue` as JSON; one without a value is null. */
function valueJson(message: Buffer, depth: number, bounds: LineBounds): string {
  bounds.enter(depth);
  let json = 'null';
  for (const field of protobufFields(message)) {
    bounds.field(field);
    json = memberJson(field, depth, bounds) ?? json;
  }
  return json;
}

function memberJson(field: Field, depth: number, bounds: LineBounds): string | undefined {
  switch (field.number) {
    case 1:
      return JSON.stringify(protobufText(field));
    case 2:
      return field.wireType === 'varint' ? String(field.value !== 0n) : undefined;
    case 3:
      return field.wireType === 'varint' ? String(BigInt.asIntN(64, field.value)) : undefined;
    case 4:
      return field.wireType === 'fixed64' ? doubleJson(field.bytes.readDoubleLE()) : undefined;
    case 5: {
      const values: string[] = [];
      for (const item of protobufFields(protobufBytes(field))) {
        bounds.field(item);
        if (item.number === 1) values.push(valueJson(protobufBytes(item), depth + 1, bounds));
      }
      return `[${values.join(',')}]`;
    }
    case 6: {
      const members = new Map<string, string>();
      for (const item of protobufFields(protobufBytes(field))) {
        bounds.field(item);
        if (item.number === 1) addPair(members, protobufBytes(item), depth + 1, bounds);
      }
      return jsonObject(members) ?? '{}';
    }
    case 7:
      return `"${protobufBytes(field).toString('base64')}"`;
    default:
      return undefined;
  }
}

function fixed64(field: Field): bigint {
  if (field.wireType !== 'fixed64') throw new InvalidProtobuf('a time is not a fixed64');
  return field.bytes.readBigUInt64LE();
}

function int32(field: Field): number {
  if (field.wireType !== 'varint') throw new InvalidProtobuf('an integer is not a varint');
  return Number(BigInt.asIntN(32, field.value));
}
