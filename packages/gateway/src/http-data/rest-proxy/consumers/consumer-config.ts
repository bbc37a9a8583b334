import { gatewayLimits } from '../../../limits.ts';
import { type JsonObject, objectOf } from '../../json-fields.ts';
import { formats, type RecordFormat } from '../media-types.ts';
import { orUnprocessable } from '../produce-body.ts';
import { unprocessable } from '../proxy-problems.ts';
import { minBytesBounds } from './consumer-definitions.ts';
import { invalidConfig } from './consumer-problems.ts';

/** Where a consumer begins in a partition that has no committed offset. */
export type OffsetReset = 'earliest' | 'latest' | 'none';

export interface ConsumerConfig {
  /** Absent if the agent chooses one. */
  readonly name: string | undefined;
  readonly format: RecordFormat;
  readonly reset: OffsetReset;
  readonly commitsItself: boolean;
  /** Bytes of keys and values after which a read waits for no more; infinite if it waits until its timeout. */
  readonly minBytes: number;
  /** The longest time that a read waits. */
  readonly timeoutMs: number;
}

/** The last two are names of API v1. */
const resets: ReadonlyMap<string, OffsetReset> = new Map([
  ['earliest', 'earliest'],
  ['latest', 'latest'],
  ['none', 'none'],
  ['smallest', 'earliest'],
  ['largest', 'latest'],
]);
const defaultTimeoutMs = 1_000;
const int32Max = 2 ** 31 - 1;
const integerText = /^-?\d{1,10}$/;
const knownFields: ReadonlySet<string> = new Set([
  'id',
  'name',
  'format',
  'auto.offset.reset',
  'auto.commit.enable',
  'fetch.min.bytes',
  'responseMinBytes',
  'consumer.request.timeout.ms',
  'requestWaitMs',
]);

/** Reads the body that creates a consumer instance. Values may be texts, as in Confluent's REST proxy. */
export function readConsumerConfig(body: unknown): ConsumerConfig {
  const object = orUnprocessable(() => objectOf(body));
  const unknown = Object.keys(object.fields).find((name) => !knownFields.has(name));
  if (unknown !== undefined)
    throw unprocessable(`Unrecognized field: ${JSON.stringify(unknown).slice(0, 80)}`);
  const format = (textIn(object, 'format') ?? 'binary').toLowerCase();
  if (!formats.has(format)) throw unprocessable('Invalid format type.');
  const reset = resets.get(textIn(object, 'auto.offset.reset') ?? 'latest');
  if (reset === undefined) throw invalidConfig('auto.offset.reset must be earliest, latest or none.');
  const commits = textIn(object, 'auto.commit.enable')?.toLowerCase() ?? 'true';
  if (commits !== 'true' && commits !== 'false')
    throw invalidConfig('auto.commit.enable must be true or false.');
  const minBytes =
    integerIn(object, 'fetch.min.bytes') ?? integerIn(object, 'responseMinBytes') ?? minBytesBounds.absent;
  if (minBytes < minBytesBounds.min || minBytes > minBytesBounds.max)
    throw unprocessable(
      `fetch.min.bytes must be an integer from ${minBytesBounds.min} to ${minBytesBounds.max}.`,
      40001,
    );
  const timeoutMs =
    integerIn(object, 'consumer.request.timeout.ms') ??
    integerIn(object, 'requestWaitMs') ??
    defaultTimeoutMs;
  return {
    name: nameIn(object),
    format: format as RecordFormat,
    reset,
    commitsItself: commits === 'true',
    minBytes: minBytes < 0 ? Number.POSITIVE_INFINITY : minBytes,
    timeoutMs: Math.min(Math.max(timeoutMs, 0), gatewayLimits.httpWaitMsMax),
  };
}

/** `id` is the older name of the field and wins. */
function nameIn(object: JsonObject): string | undefined {
  const name = textIn(object, 'id') ?? textIn(object, 'name');
  if (name === '' || (name !== undefined && name.length > gatewayLimits.httpConsumerNameCharsMax))
    throw unprocessable(`name must have 1 to ${gatewayLimits.httpConsumerNameCharsMax} characters.`);
  return name;
}

/** A text, number or boolean as a text; `undefined` if it is absent. */
function textIn({ fields }: JsonObject, name: string): string | undefined {
  const value = fields[name] ?? undefined;
  if (value === undefined || typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw unprocessable(`${name} must be a text.`);
}

function integerIn(object: JsonObject, name: string): number | undefined {
  const text = textIn(object, name);
  if (text === undefined) return undefined;
  const value = integerText.test(text) ? Number(text) : Number.NaN;
  if (!(Math.abs(value) <= int32Max)) throw unprocessable(`${name} must be an integer.`);
  return value;
}
