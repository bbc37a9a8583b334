import type { IncomingHttpHeaders } from 'node:http';
import { formatBytes, type ProtobufValue, protobufBytes, protobufFields, protobufText } from '@weir/core';
import { bodyTypeOf, HttpProblem } from '@weir/http';
import type { DataInput, WholeAnswer } from '../http-data/data-route.ts';
import { objectOf, objectsIn } from '../http-data/json-fields.ts';
import { dataJson } from '../http-data/request-body.ts';
import { gatewayLimits } from '../limits.ts';
import {
  type FoundLine,
  jsonObject,
  jsonText,
  type LogLine,
  pausePoint,
  type RefusedLine,
} from './log-line.ts';
import { nanosecondsIn } from './log-time.ts';
import { checkCount, checkLabelsBytes, type Labels, labelsText, parseLabels } from './loki-labels.ts';
import { LineBounds } from './otlp-attributes.ts';
import { orRefused } from './otlp-refusal.ts';
import type { ParseSteps } from './parse-steps.ts';
import { refusalText, refusedLine, type TakenLogs } from './take-logs.ts';

const { logIntakeRecordBytesMax } = gatewayLimits;
const tenantHeader = 'x-scope-orgid';
const tenantCharsMax = 256;
/** What a stream, each of its labels, and a line cost, as fields of protobuf. */
const streamSteps = 50;
const labelSteps = 10;
const lineSteps = 10;

/** Finds the lines of a push. JSON says that it is JSON; anything else is protobuf, as in Loki. */
export function* lokiLines({ body, headers }: DataInput, steps: ParseSteps): Generator<FoundLine> {
  const tenant = headers[tenantHeader];
  if (typeof tenant === 'string' && tenant.length > tenantCharsMax)
    throw new HttpProblem(400, `The header ${tenantHeader} has more than ${tenantCharsMax} characters.`);
  const streams = isJson(headers)
    ? jsonStreams(body as Buffer, steps)
    : protobufStreams(body as Buffer, steps);
  for (const found of streams) {
    if (found === pausePoint || 'refusal' in found) yield found;
    else yield lineOf(found, typeof tenant === 'string' ? tenant : undefined);
  }
}

/** Protobuf is always compressed, whether or not a header says so. */
export function lokiEncodings(headers: IncomingHttpHeaders): string | undefined {
  const given = headers['content-encoding'];
  if (isJson(headers) || given === 'snappy') return given;
  return given === undefined || given === '' ? 'snappy' : `snappy, ${given}`;
}

function isJson(headers: IncomingHttpHeaders): boolean {
  return bodyTypeOf(headers['content-type']) === 'application/json';
}

/** A stream with what all of its lines share. */
class Stream {
  readonly labels: Labels;
  readonly key: string;
  readonly json: string | undefined;

  constructor(labels: Labels) {
    this.labels = labels;
    this.key = labelsText(labels);
    this.json = labelsJson(labels);
  }
}

interface StreamLine {
  readonly stream: Stream;
  readonly timeNs: bigint | undefined;
  readonly line: string;
  readonly metadata: Labels;
}

const noMetadata: Labels = new Map();

function lineOf({ stream, timeNs, line, metadata }: StreamLine, tenant: string | undefined): LogLine {
  const named = (...names: readonly string[]) => {
    for (const name of names) {
      const value = stream.labels.get(name) ?? metadata.get(name);
      if (value !== undefined && value !== '') return JSON.stringify(value);
    }
    return undefined;
  };
  return {
    timeNs,
    key: stream.key,
    fields: {
      message: JSON.stringify(line),
      severity: named('level', 'detected_level'),
      service: named('service_name', 'service'),
      host: named('host', 'hostname'),
      labels: stream.json,
      attributes: labelsJson(metadata),
      tenant: jsonText(tenant),
    },
  };
}

function labelsJson(labels: Labels): string | undefined {
  return labels.size === 0
    ? undefined
    : jsonObject(new Map([...labels].map(([name, value]) => [name, JSON.stringify(value)])));
}

function* jsonStreams(body: Buffer, steps: ParseSteps): Generator<StreamLine | typeof pausePoint> {
  for (const given of objectsIn(objectOf(yield* dataJson(body)), 'streams')) {
    const labels = jsonLabels(given.fields.stream ?? {}, `${given.path}.stream`);
    if (steps.isOver(streamSteps + labels.size * labelSteps, checkLabelsSize(labels))) yield pausePoint;
    const stream = new Stream(labels);
    const { values } = given.fields;
    if (!Array.isArray(values)) throw new HttpProblem(400, `${given.path}.values must be a list.`);
    for (const [index, value] of (values as readonly unknown[]).entries()) {
      const line = jsonLine(stream, value, `${given.path}.values[${index}]`);
      if (steps.isOver(lineSteps + line.metadata.size * labelSteps, line.line.length)) yield pausePoint;
      yield line;
    }
  }
}

function jsonLine(stream: Stream, value: unknown, path: string): StreamLine {
  const [time, line, metadata] = Array.isArray(value) ? (value as readonly unknown[]) : [];
  const timeNs = nanosecondsIn(time);
  if (timeNs === undefined)
    throw new HttpProblem(400, `${path}[0] must be a time in nanoseconds, as a text.`);
  if (typeof line !== 'string') throw new HttpProblem(400, `${path}[1] must be a text.`);
  const given = metadata === undefined ? noMetadata : jsonLabels(metadata, `${path}[2]`);
  return { stream, timeNs, line, metadata: given };
}

/** Returns the characters of labels, all of which are in every record of their stream. */
function checkLabelsSize(labels: Labels): number {
  let chars = 0;
  for (const [name, value] of labels) chars += name.length + value.length;
  checkLabelsBytes(chars);
  return chars;
}

function jsonLabels(value: unknown, path: string): Labels {
  const entries = Object.entries(objectOf(value, path).fields);
  checkCount(entries.length);
  for (const [name, text] of entries)
    if (typeof text !== 'string') throw new HttpProblem(400, `${path}.${name.slice(0, 64)} must be a text.`);
  return new Map(entries as [string, string][]);
}

/** `PushRequest` of Loki, with the field numbers below. */
function* protobufStreams(
  body: Buffer,
  steps: ParseSteps,
): Generator<StreamLine | RefusedLine | typeof pausePoint> {
  for (const field of protobufFields(body)) {
    if (steps.isOver()) yield pausePoint;
    if (field.number !== 1) continue;
    const message = protobufBytes(field);
    let labels = '';
    for (const inner of protobufFields(message)) {
      if (steps.isOver()) yield pausePoint;
      if (inner.number === 1) labels = labelsIn(inner);
    }
    const parsed = parseLabels(labels);
    if (steps.isOver(streamSteps + parsed.size * labelSteps, 16 * labels.length)) yield pausePoint;
    const stream = new Stream(parsed);
    for (const inner of protobufFields(message)) {
      if (steps.isOver()) yield pausePoint;
      if (inner.number !== 2) continue;
      const entry = protobufBytes(inner);
      if (entry.length <= logIntakeRecordBytesMax)
        yield orRefused(() => protobufLine(stream, entry, new LineBounds(steps)));
      else yield refusedLine(`it has more than ${formatBytes(logIntakeRecordBytesMax)}.`);
    }
  }
}

/** Labels that are too long are not even decoded. */
function labelsIn(field: ProtobufValue): string {
  checkLabelsBytes(protobufBytes(field).length);
  return protobufText(field);
}

function protobufLine(stream: Stream, entry: Buffer, bounds: LineBounds): StreamLine {
  let timeNs: bigint | undefined;
  let line = '';
  const metadata = new Map<string, string>();
  let pairs = 0;
  for (const field of protobufFields(entry)) {
    bounds.field(field);
    if (field.number === 1) timeNs = protobufTime(protobufBytes(field), bounds);
    if (field.number === 2) line = protobufText(field);
    if (field.number === 3) {
      const [name, text] = protobufPair(protobufBytes(field), bounds);
      metadata.set(name, text);
      checkCount(++pairs);
    }
  }
  return { stream, timeNs, line, metadata };
}

function protobufTime(message: Buffer, bounds: LineBounds): bigint | undefined {
  let timeNs = 0n;
  for (const field of protobufFields(message)) {
    bounds.field(field);
    if (field.wireType !== 'varint') continue;
    if (field.number === 1) timeNs += field.value * 1_000_000_000n;
    if (field.number === 2) timeNs += field.value;
  }
  return nanosecondsIn(String(timeNs));
}

function protobufPair(message: Buffer, bounds: LineBounds): [name: string, value: string] {
  const pair: [string, string] = ['', ''];
  for (const field of protobufFields(message)) {
    bounds.field(field);
    if (field.number === 1 || field.number === 2) pair[field.number - 1] = protobufText(field);
  }
  return pair;
}

/** As in Loki, 400 says that some lines were left out, and the others are written. */
export function lokiAnswer({ refused, refusal }: TakenLogs): WholeAnswer {
  if (refused > 0) return lokiProblem(new HttpProblem(400, refusalText(refused, refusal ?? '')));
  return { status: 204, body: '' };
}

export function lokiProblem({ status, message }: HttpProblem): WholeAnswer {
  return { status, contentType: 'text/plain; charset=utf-8', body: `${message}\n` };
}
