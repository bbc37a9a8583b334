import type { IncomingHttpHeaders } from 'node:http';
import { bodyTypeOf, HttpProblem } from '@weir/http';
import type { DataInput, WholeAnswer } from '../http-data/data-route.ts';
import { exactJson, exactNumberOf, mayBeInexact } from '../http-data/exact-json.ts';
import { gatewayLimits } from '../limits.ts';
import { jsonItems, notJson } from './json-items.ts';
import { type FoundLine, jsonText, type LogLine, pausePoint } from './log-line.ts';
import { timeIn } from './log-time.ts';
import type { ParseSteps } from './parse-steps.ts';
import { refusalText, refusedLine, type TakenLogs } from './take-logs.ts';

const { httpBodyDepthMax, logIntakeAttributesMax, logIntakeValuesMax } = gatewayLimits;
const nonSpace = /\S/;
/** What an item of a list and each of its values cost, as fields of protobuf. */
const itemSteps = 20;
const valueSteps = 10;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Names that Datadog gives a meaning, the first one that a line has counts. */
const timeNames = ['timestamp', 'date', '@timestamp'] as const;
const messageNames = ['message', 'msg', 'log'] as const;
const severityNames = ['status', 'severity', 'level'] as const;
const hostNames = ['hostname', 'host'] as const;

/** Finds the lines of a body: objects of JSON, or lines of a text. */
export function* datadogLines(
  { body, contentType, query }: DataInput,
  steps: ParseSteps,
): Generator<FoundLine> {
  const ofRequest = {
    service: query.get('service') ?? undefined,
    host: query.get('hostname') ?? undefined,
    source: query.get('ddsource') ?? undefined,
    tags: tagsIn(query.get('ddtags') ?? ''),
  };
  const text = textOf(body as Buffer);
  if (bodyTypeOf(contentType) === 'text/plain') {
    for (let from = 0; from < text.length; ) {
      const found = text.indexOf('\n', from);
      const end = found < 0 ? text.length : found;
      if (steps.isOver(1, end - from)) yield pausePoint;
      const line = text.slice(from, end);
      if (nonSpace.test(line)) yield lineOf({ message: line.replace(/\r$/, '') }, ofRequest);
      from = end + 1;
    }
    return;
  }
  const bounds = { depthMax: httpBodyDepthMax, valuesMax: logIntakeValuesMax };
  for (const found of jsonItems(text, bounds)) {
    if (found === pausePoint) {
      yield pausePoint;
      continue;
    }
    if (steps.isOver(itemSteps + found.values * valueSteps, found.item?.length)) yield pausePoint;
    if (found.item === undefined) {
      yield refusedLine(`it has more than ${logIntakeValuesMax} values.`);
      continue;
    }
    const item = parsed(found.item);
    if (typeof item !== 'object' || item === null || Array.isArray(item) || exactNumberOf(item) !== undefined)
      yield refusedLine('it is not an object.');
    // Agents of Datadog send an empty object to find out whether they can.
    else if (Object.keys(item).length > 0) yield lineOf(item as Record<string, unknown>, ofRequest);
  }
}

interface OfRequest {
  readonly service: string | undefined;
  readonly host: string | undefined;
  readonly source: string | undefined;
  readonly tags: readonly string[];
}

function textOf(body: Buffer): string {
  try {
    return utf8.decode(body);
  } catch {
    throw new HttpProblem(400, 'The body is not UTF-8.');
  }
}

/** Ids of 64 bits keep their digits, unless a single line has very many values. */
function parsed(text: string): unknown {
  try {
    const isExact = text.length <= exactCharsMax && mayBeInexact(text);
    return isExact ? exactJson(text) : (JSON.parse(text) as unknown);
  } catch {
    throw notJson();
  }
}

/** To keep digits takes many times as long. Each value takes two characters at least. */
const exactCharsMax = 100_000;

function lineOf(item: Readonly<Record<string, unknown>>, ofRequest: OfRequest): LogLine {
  const rest = new Map(Object.entries(item));
  const timeNs = takeTime(rest);
  const message = takeFirst(rest, messageNames, (value) => value !== null);
  const severity = takeFirst(rest, severityNames, (value) => isText(value) || typeof value === 'number');
  const service = takeText(rest, ['service']) ?? ofRequest.service;
  const host = takeText(rest, hostNames) ?? ofRequest.host;
  const source = takeText(rest, ['ddsource']) ?? ofRequest.source;
  const tags = [...ofRequest.tags, ...tagsIn(takeText(rest, ['ddtags']) ?? '')].slice(
    0,
    logIntakeAttributesMax,
  );
  return {
    timeNs,
    key: service ?? host ?? null,
    fields: {
      message: message === undefined ? undefined : JSON.stringify(message),
      severity: severity === undefined ? undefined : JSON.stringify(String(severity)),
      service: jsonText(service),
      host: jsonText(host),
      source: jsonText(source),
      tags: tags.length === 0 ? undefined : JSON.stringify(tags),
      attributes: rest.size === 0 ? undefined : JSON.stringify(Object.fromEntries(rest)),
    },
  };
}

function tagsIn(text: string): readonly string[] {
  return text
    .split(',', logIntakeAttributesMax)
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** A time that cannot be read stays an attribute. */
function takeTime(rest: Map<string, unknown>): bigint | undefined {
  for (const name of timeNames) {
    const value = rest.get(name);
    const timeNs = timeIn(exactNumberOf(value) ?? value);
    if (timeNs === undefined) continue;
    rest.delete(name);
    return timeNs;
  }
  return undefined;
}

function takeText(rest: Map<string, unknown>, names: readonly string[]): string | undefined {
  return takeFirst(rest, names, isText) as string | undefined;
}

function takeFirst(
  rest: Map<string, unknown>,
  names: readonly string[],
  isWanted: (value: unknown) => boolean,
): unknown {
  for (const name of names) {
    const value = rest.get(name);
    if (value === undefined || !isWanted(value)) continue;
    rest.delete(name);
    return value;
  }
  return undefined;
}

/** A key that is `user:password` is the credential of the caller; any other key is none. */
export function datadogAuthorization(headers: IncomingHttpHeaders): string | undefined {
  const key = headers['dd-api-key'];
  return typeof key === 'string' && key.includes(':')
    ? `Basic ${Buffer.from(key).toString('base64')}`
    : undefined;
}

export function datadogAnswer({ refused, refusal }: TakenLogs): WholeAnswer {
  if (refused > 0) return datadogProblem(new HttpProblem(400, refusalText(refused, refusal ?? '')));
  return { status: 202, contentType: 'application/json', body: '{}' };
}

export function datadogProblem({ status, message }: HttpProblem): WholeAnswer {
  const error = { status: String(status), title: 'The logs were not taken', detail: message };
  return { status, contentType: 'application/json', body: JSON.stringify({ errors: [error] }) };
}
