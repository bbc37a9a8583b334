import { type ProtobufValue, protobufBytes, protobufFields } from '@weir/core';
import { brokerLimits } from '../limits.ts';
import { Pace } from '../pressure/pace.ts';

/** One number that a client measured, with its attributes in the name: `a.b.c{topic=x}`. */
interface DataPoint {
  readonly name: string;
  /** `undefined` for anything but a single number, such as a histogram. */
  readonly value: number | undefined;
}

/** Yielded between data points after many fields, so that the caller can let other requests run. */
export const pausePoint = 'pause';

/**
 * Parses what clients push: MetricsData of OpenTelemetry, with the field numbers below. It yields one data point after
 * the other, so that the caller can stop at any point. Unknown kinds of metrics and fields are skipped.
 */
export function* dataPoints(metricsData: Buffer): Generator<DataPoint | typeof pausePoint> {
  const pace = new Pace();
  for (const resource of nested(metricsData, 1, pace)) {
    if (resource === pausePoint) yield pausePoint;
    else
      for (const scope of nested(resource, 2, pace)) {
        if (scope === pausePoint) yield pausePoint;
        else
          for (const metric of nested(scope, 2, pace)) {
            if (metric === pausePoint) yield pausePoint;
            else yield* pointsOf(metric, pace);
          }
      }
  }
}

const nameField = 1;
/** Gauge and sum have single numbers; histogram, exponential histogram and summary have more than one. */
const numberKinds = [5, 7];
const otherKinds = [9, 10, 11];

function* pointsOf(metric: Buffer, pace: Pace): Generator<DataPoint | typeof pausePoint> {
  let name = '';
  for (const field of protobufFields(metric)) {
    if (pace.isOver()) yield pausePoint;
    if (field.number === nameField) name = protobufBytes(field).toString();
    const isNumber = numberKinds.includes(field.number);
    if (!isNumber && !otherKinds.includes(field.number)) continue;
    for (const point of nested(protobufBytes(field), 1, pace)) {
      if (point === pausePoint) yield pausePoint;
      else if (isNumber && point.length <= brokerLimits.telemetryPointBytesMax)
        yield numberPoint(name, point);
      else yield { name, value: undefined };
    }
  }
}

function numberPoint(name: string, point: Buffer): DataPoint {
  const attributes: string[] = [];
  let value: number | undefined;
  for (const field of protobufFields(point)) {
    if (field.number === 4 && field.wireType === 'fixed64') value = field.bytes.readDoubleLE();
    if (field.number === 6 && field.wireType === 'fixed64') value = Number(field.bytes.readBigInt64LE());
    if (field.number === 7) attributes.push(attributeText(protobufBytes(field)));
  }
  return { name: attributes.length === 0 ? name : `${name}{${attributes.join(',')}}`, value };
}

function attributeText(attribute: Buffer): string {
  let key = '';
  let value = '';
  for (const field of protobufFields(attribute)) {
    if (field.number === 1) key = protobufBytes(field).toString();
    if (field.number === 2) for (const one of protobufFields(protobufBytes(field))) value = anyValueText(one);
  }
  return `${key}=${value}`;
}

/** Strings, booleans and integers; clients use no others. */
function anyValueText(field: { number: number } & ProtobufValue): string {
  if (field.wireType === 'bytes' && field.number === 1) return field.bytes.toString();
  if (field.wireType === 'varint' && field.number === 2) return String(field.value === 1n);
  if (field.wireType === 'varint' && field.number === 3) return String(BigInt.asIntN(64, field.value));
  return '?';
}

function* nested(message: Buffer, number: number, pace: Pace): Generator<Buffer | typeof pausePoint> {
  for (const field of protobufFields(message)) {
    if (pace.isOver()) yield pausePoint;
    if (field.number === number) yield protobufBytes(field);
  }
}
