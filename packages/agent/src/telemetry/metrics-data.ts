import { type ProtobufValue, protobufFields, UnreadableProtobuf } from './protobuf-reader.ts';

/** One number that a client measured, with its attributes in the name: `a.b.c{topic=x}`. */
export interface DataPoint {
  readonly name: string;
  /** `undefined` for what is not one number, such as a histogram. */
  readonly value: number | undefined;
}

/**
 * Reads what clients push: MetricsData of OpenTelemetry, whose numbers of fields are below. It gives one data point after the other, so
 * that whoever wants only some stops there. Kinds of metrics and fields that are not known are passed over.
 */
export function* dataPoints(metricsData: Buffer): Generator<DataPoint> {
  for (const resource of nested(metricsData, 1)) {
    for (const scope of nested(resource, 2)) {
      for (const metric of nested(scope, 2)) yield* pointsOf(metric);
    }
  }
}

const nameField = 1;
/** Gauge and sum have numbers; histogram, exponential histogram and summary have more than one. */
const numberKinds = [5, 7];
const otherKinds = [9, 10, 11];

function* pointsOf(metric: Buffer): Generator<DataPoint> {
  let name = '';
  for (const field of protobufFields(metric)) {
    if (field.number === nameField) name = bytesOf(field).toString();
    const isNumber = numberKinds.includes(field.number);
    if (!isNumber && !otherKinds.includes(field.number)) continue;
    for (const point of nested(bytesOf(field), 1)) {
      yield isNumber ? numberPoint(name, point) : { name, value: undefined };
    }
  }
}

function numberPoint(name: string, point: Buffer): DataPoint {
  const attributes: string[] = [];
  let value: number | undefined;
  for (const field of protobufFields(point)) {
    if (field.number === 4 && field.wireType === 'fixed64') value = field.bytes.readDoubleLE();
    if (field.number === 6 && field.wireType === 'fixed64') value = Number(field.bytes.readBigInt64LE());
    if (field.number === 7) attributes.push(attributeText(bytesOf(field)));
  }
  return { name: attributes.length === 0 ? name : `${name}{${attributes.join(',')}}`, value };
}

function attributeText(attribute: Buffer): string {
  let key = '';
  let value = '';
  for (const field of protobufFields(attribute)) {
    if (field.number === 1) key = bytesOf(field).toString();
    if (field.number === 2) for (const one of protobufFields(bytesOf(field))) value = anyValueText(one);
  }
  return `${key}=${value}`;
}

/** Texts, flags and whole numbers; clients use no others. */
function anyValueText(field: { number: number } & ProtobufValue): string {
  if (field.wireType === 'bytes' && field.number === 1) return field.bytes.toString();
  if (field.wireType === 'varint' && field.number === 2) return String(field.value === 1n);
  if (field.wireType === 'varint' && field.number === 3) return String(BigInt.asIntN(64, field.value));
  return '?';
}

function* nested(message: Buffer, number: number): Generator<Buffer> {
  for (const field of protobufFields(message)) if (field.number === number) yield bytesOf(field);
}

function bytesOf(field: ProtobufValue): Buffer {
  if (field.wireType !== 'bytes')
    throw new UnreadableProtobuf('a number stands where a message or text should');
  return field.bytes;
}
