import { HttpProblem } from '@weir/http';
import { type JsonObject, objectOf, objectsIn } from '../http-data/json-fields.ts';
import { dataJson } from '../http-data/request-body.ts';
import { gatewayLimits } from '../limits.ts';
import { type FoundLine, jsonObject, pausePoint } from './log-line.ts';
import { nanosecondsIn } from './log-time.ts';
import { type Attributes, addAttribute, doubleJson, LineBounds, LineRefused } from './otlp-attributes.ts';
import { type OtlpRecord, OtlpResource, OtlpScope, otlpLine } from './otlp-record.ts';
import { orRefused } from './otlp-refusal.ts';
import type { ParseSteps } from './parse-steps.ts';

const optional = { isRequired: false } as const;
const hexId = /^[0-9a-f]{0,64}$/i;
/** What a resource, a scope or a record costs, as fields of protobuf. */
const groupSteps = 20;
const int64Text = /^-?\d{1,19}$/;

/** Finds the lines of an `ExportLogsServiceRequest` in JSON, with the names of OpenTelemetry. */
export function* otlpJsonLines(body: Buffer, steps: ParseSteps): Generator<FoundLine> {
  const request = objectOf(yield* dataJson(body, { depthMax: gatewayLimits.logIntakeBodyDepthMax }));
  for (const resourceLogs of objectsIn(request, 'resourceLogs', optional)) {
    if (steps.isOver(groupSteps)) yield pausePoint;
    const resource = new OtlpResource(attributesIn(within(resourceLogs, 'resource'), new LineBounds(steps)));
    for (const scopeLogs of objectsIn(resourceLogs, 'scopeLogs', optional)) {
      if (steps.isOver(groupSteps)) yield pausePoint;
      const given = within(scopeLogs, 'scope');
      const scope = new OtlpScope(resource, {
        name: textIn(given, 'name'),
        version: textIn(given, 'version'),
        attributes: attributesIn(given, new LineBounds(steps)),
      });
      for (const record of objectsIn(scopeLogs, 'logRecords', optional)) {
        if (steps.isOver(groupSteps)) yield pausePoint;
        yield orRefused(() => otlpLine(scope, recordOf(record, new LineBounds(steps))));
      }
    }
  }
}

function recordOf(record: JsonObject, bounds: LineBounds): OtlpRecord {
  const { body } = record.fields;
  return {
    timeNs: timeIn(record, 'timeUnixNano'),
    observedNs: timeIn(record, 'observedTimeUnixNano'),
    severityNumber: numberIn(record, 'severityNumber'),
    severityText: textIn(record, 'severityText'),
    body:
      body === undefined || body === null
        ? undefined
        : valueJson(objectOf(body, `${record.path}.body`), 1, bounds),
    attributes: attributesIn(record, bounds),
    droppedAttributes: numberIn(record, 'droppedAttributesCount'),
    flags: numberIn(record, 'flags'),
    traceId: idIn(record, 'traceId'),
    spanId: idIn(record, 'spanId'),
    eventName: textIn(record, 'eventName'),
  };
}

function attributesIn(object: JsonObject, bounds: LineBounds): Attributes {
  const attributes = new Map<string, string>();
  for (const pair of objectsIn(object, 'attributes', optional)) addPair(attributes, pair, 1, bounds);
  return attributes;
}

function addPair(members: Map<string, string>, pair: JsonObject, depth: number, bounds: LineBounds): void {
  addAttribute(members, textIn(pair, 'key'), valueJson(within(pair, 'value'), depth, bounds));
}

/** An `AnyValue` as JSON of its own; one without a value is null. */
function valueJson({ fields, path }: JsonObject, depth: number, bounds: LineBounds): string {
  bounds.enter(depth);
  const { stringValue, boolValue, intValue, doubleValue, arrayValue, kvlistValue, bytesValue } = fields;
  if (typeof stringValue === 'string') return JSON.stringify(stringValue);
  if (typeof boolValue === 'boolean') return String(boolValue);
  if (intValue !== undefined) return integerJson(intValue, path);
  if (doubleValue !== undefined) return doubleJson(Number(doubleValue));
  if (typeof bytesValue === 'string') return JSON.stringify(bytesValue);
  if (arrayValue !== undefined) {
    const list = objectOf(arrayValue, `${path}.arrayValue`);
    const values = objectsIn(list, 'values', optional).map((value) => valueJson(value, depth + 1, bounds));
    return `[${values.join(',')}]`;
  }
  if (kvlistValue === undefined) return 'null';
  const members = new Map<string, string>();
  const list = objectOf(kvlistValue, `${path}.kvlistValue`);
  for (const pair of objectsIn(list, 'values', optional)) addPair(members, pair, depth + 1, bounds);
  return jsonObject(members) ?? '{}';
}

/** Integers are texts in JSON of protobuf, so that they keep their digits. */
function integerJson(value: unknown, path: string): string {
  if (typeof value === 'number' && Number.isInteger(value)) return String(BigInt(value));
  if (typeof value === 'string' && int64Text.test(value)) return String(BigInt(value));
  throw new LineRefused(`${path}.intValue is not an integer.`);
}

function within({ fields, path }: JsonObject, name: string): JsonObject {
  return objectOf(fields[name] ?? {}, `${path}.${name}`);
}

function textIn({ fields, path }: JsonObject, name: string): string {
  const value = fields[name] ?? '';
  if (typeof value !== 'string') throw new HttpProblem(400, `${path}.${name} must be a text.`);
  return value;
}

/** Some senders have numbers as texts. */
function numberIn({ fields, path }: JsonObject, name: string): number {
  const value = Number(fields[name] ?? 0);
  if (!Number.isInteger(value)) throw new LineRefused(`${path}.${name} is not an integer.`);
  return value;
}

/** Zero, or no time, is not set. */
function timeIn({ fields, path }: JsonObject, name: string): bigint {
  const value = fields[name] ?? 0;
  const isZero = value === 0 || value === '' || value === '0';
  const timeNs = isZero ? 0n : nanosecondsIn(value);
  if (timeNs === undefined) throw new LineRefused(`${path}.${name} is not a time in nanoseconds.`);
  return timeNs;
}

function idIn(record: JsonObject, name: string): string {
  const id = textIn(record, name);
  if (!hexId.test(id)) throw new LineRefused(`${record.path}.${name} is not hexadecimal.`);
  return id.toLowerCase();
}
