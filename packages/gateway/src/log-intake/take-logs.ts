import { formatBytes, InvalidProtobuf } from '@weir/core';
import { HttpProblem } from '@weir/http';
import { errorByCode, errors, type RecordToWrite } from '@weir/wire';
import type { AdmittedInput, DataDeps, DataInput } from '../http-data/data-route.ts';
import { type ProducedPartition, produceRecords } from '../http-data/produce-records.ts';
import { gatewayLimits } from '../limits.ts';
import { type FoundLine, pausePoint, type RefusedLine, valueJson } from './log-line.ts';
import { ParseSteps } from './parse-steps.ts';

type LogProtocol = 'datadog' | 'otlp' | 'loki';
/** Finds the lines of a request one after the other, and counts what that takes. */
type LinesOf = (input: DataInput, steps: ParseSteps) => Iterable<FoundLine>;

/** The outcome of the lines of a request. */
export interface TakenLogs {
  readonly written: number;
  readonly refused: number;
  /** Why the first line was refused. */
  readonly refusal: string | undefined;
}

const topicHeader = 'kafka-topic';
/** `request.timeout.ms` of a Kafka producer. */
const timeoutMs = 30_000;
/** What is made into records before other requests have their turn: about two milliseconds. */
const linesPerTurn = 512;
const bytesPerTurn = 256 * 1024;

const { logIntakeLinesMax, logIntakeRecordBytesMax, logIntakeRecordsBytesMax } = gatewayLimits;

/**
 * Writes each line as one record and waits until all are durable. Throws an `HttpProblem`: with 503 if the request
 * should be sent again, which may write some lines twice, and with 4xx if none of its lines was written and none will
 * be.
 */
export async function takeLogs(
  protocol: LogProtocol,
  linesOf: LinesOf,
  input: DataInput,
  deps: DataDeps,
): Promise<TakenLogs> {
  const topic = topicOf(input, deps.logTopic);
  const { records, refused } = await recordsOf(protocol, linesOf(input, new ParseSteps()), input, deps);
  let written = 0;
  // What is wrong with one record fails the batch that it is in; the others are written without it.
  for (let toWrite = records, attempt = 1; toWrite.length > 0; attempt++) {
    const produced = await produceRecords(
      [{ topic, records: toWrite.map((record) => ({ partition: undefined, record })) }],
      input.client,
      { timeoutMs, requestBytes: attempt === 1 ? input.bodyBytes : 0, pause: deps.pause },
    );
    const next: RecordToWrite[] = [];
    for (const partition of produced) {
      const { errorCode, places, refusedPlaces } = partition;
      if (errorCode === 0) {
        written += places.length;
        continue;
      }
      refuseIfPassing(topic, partition);
      const dropped = new Set(attempt === 1 && refusedPlaces.length > 0 ? refusedPlaces : places);
      for (const place of places) if (!dropped.has(place)) next.push(toWrite[place]!);
      refused.add(dropped.size, partition.errorMessage ?? '');
    }
    toWrite = next;
  }
  if (written === 0 && refused.count > 0) throw new HttpProblem(400, refused.text);
  return { written, refused: refused.count, refusal: refused.first };
}

/** Counts lines that are left out. */
class Refusals {
  count = 0;
  first: string | undefined;

  add(count: number, refusal: string): void {
    this.count += count;
    this.first ??= refusal;
  }

  get text(): string {
    return refusalText(this.count, this.first ?? '');
  }
}

/** One line about lines that were left out. */
export function refusalText(refused: number, refusal: string): string {
  return `${refused} ${refused === 1 ? 'line was' : 'lines were'} refused, the first one because ${refusal}`;
}

/** Refuses callers without the right to write to the topic, before the body is inflated and parsed. */
export function admitLogs(input: AdmittedInput, { logTopic }: DataDeps): void {
  const topic = topicOf(input, logTopic);
  if (!input.client.mayWrite(topic)) throw denied(topic);
}

function denied(topic: string): HttpProblem {
  return new HttpProblem(403, `The caller has no right to write to the topic ${topic}.`);
}

/** The topic that a request names in its query or a header, or else the default. */
function topicOf({ query, headers }: AdmittedInput, logTopic: string | undefined): string {
  const given = query.get('topic') ?? headers[topicHeader] ?? logTopic;
  if (typeof given === 'string' && given !== '') return given;
  throw new HttpProblem(
    400,
    `Name a topic for the logs: with ?topic=, the header ${topicHeader}, or the flag -logIntakeDefaultTopic.`,
  );
}

interface FoundRecords {
  readonly records: readonly RecordToWrite[];
  readonly refused: Refusals;
}

async function recordsOf(
  protocol: LogProtocol,
  lines: Iterable<FoundLine>,
  { client, countBytes }: DataInput,
  { clock, pause }: DataDeps,
): Promise<FoundRecords> {
  const headers = [{ key: 'log-protocol', value: Buffer.from(protocol) }];
  const records: RecordToWrite[] = [];
  const refused = new Refusals();
  const nowMs = clock.nowMs();
  let bytes = 0;
  let linesInTurn = 0;
  let bytesAtPause = 0;
  for (const line of linesIn(lines)) {
    const mustPause =
      line === pausePoint || ++linesInTurn === linesPerTurn || bytes - bytesAtPause > bytesPerTurn;
    if (mustPause) {
      await pause();
      if (client.closed.aborted) throw new HttpProblem(400, 'The client has left.');
      linesInTurn = 0;
      bytesAtPause = bytes;
    }
    if (line === pausePoint) continue;
    if (records.length + refused.count === logIntakeLinesMax)
      throw new HttpProblem(
        413,
        `The request has more than ${logIntakeLinesMax} lines; send fewer at a time.`,
      );
    if ('refusal' in line) {
      refused.add(1, line.refusal);
      continue;
    }
    const { timeNs = BigInt(nowMs) * 1_000_000n } = line;
    const json = valueJson(timeNs, line.fields);
    // Lines can share megabytes, which are not encoded for each that they make too long.
    const isLong = json.length + (line.key?.length ?? 0) > logIntakeRecordBytesMax;
    const key = line.key === null || isLong ? null : Buffer.from(line.key);
    const value = Buffer.from(isLong ? '' : json);
    const recordBytes = value.length + (key?.length ?? 0);
    if (isLong || recordBytes > logIntakeRecordBytesMax) {
      refused.add(1, `it has more than ${formatBytes(logIntakeRecordBytesMax)} as a record.`);
      continue;
    }
    bytes += recordBytes;
    if (bytes > logIntakeRecordsBytesMax)
      throw new HttpProblem(
        413,
        `The lines have more than ${formatBytes(logIntakeRecordsBytesMax)} as records; send fewer at a time.`,
      );
    countBytes(recordBytes);
    records.push({ timestamp: timeNs / 1_000_000n, key, value, headers });
  }
  return { records, refused };
}

/** Decoders throw where they cannot read on, before anything is written. */
function* linesIn(lines: Iterable<FoundLine>): Generator<FoundLine> {
  try {
    yield* lines;
  } catch (error) {
    if (!(error instanceof InvalidProtobuf)) throw error;
    throw new HttpProblem(400, `The body is not valid protobuf: ${error.message}.`);
  }
}

/** Throws unless the error is about the records themselves. */
function refuseIfPassing(topic: string, { errorCode, errorMessage }: ProducedPartition): void {
  switch (errorCode) {
    case errors.UNKNOWN_TOPIC_OR_PARTITION.code:
    case errors.INVALID_TOPIC_EXCEPTION.code:
      throw new HttpProblem(404, `Topic ${topic} not found.`);
    case errors.TOPIC_AUTHORIZATION_FAILED.code:
      throw denied(topic);
    default:
      if (errorByCode(errorCode)?.retriable !== true) return;
      throw new HttpProblem(503, `The logs cannot be written now: ${errorMessage}`, {
        headers: { 'retry-after': '1' },
      });
  }
}

export function refusedLine(refusal: string): RefusedLine {
  return { refusal };
}
