import type { Place } from '@weir/client';
import { gatewayLimits } from '../../../limits.ts';
import { partitionBounds } from '../../definitions/record-schema.ts';
import { integerIn, type JsonObject, objectOf, objectsIn, textIn } from '../../json-fields.ts';
import { orUnprocessable } from '../produce-body.ts';
import { unprocessable } from '../proxy-problems.ts';
import { commitOffsetBounds } from './consumer-definitions.ts';

export interface PlaceAndOffset extends Place {
  readonly offset: number;
  readonly metadata: string;
}

interface PlaceAndTime extends Place {
  readonly timestampMs: number;
}

export interface Seek {
  readonly offsets: readonly PlaceAndOffset[];
  readonly timestamps: readonly PlaceAndTime[];
}

/** What a consumer is to subscribe to: names, or a pattern. */
export type WantedTopics = { readonly topics: readonly string[] } | { readonly pattern: string };

const topicName = /^[\w.-]{1,249}$/;

export function readSubscriptionBody(body: unknown): WantedTopics {
  return orUnprocessable(() => {
    const object = objectOf(body);
    const topics = object.fields.topics ?? undefined;
    const pattern = object.fields.topic_pattern ?? undefined;
    if (topics === undefined && pattern !== undefined) return { pattern: textIn(object, 'topic_pattern') };
    if (!Array.isArray(topics)) throw unprocessable('The body must have topics or topic_pattern.');
    refuseMany(topics, 'topics');
    return { topics: [...new Set(topics.map(topicOf))] };
  });
}

/** The partitions of a body: those of an assignment, to go to the end of, or whose committed offsets are wanted. */
export function readPartitions(body: unknown): readonly Place[] {
  return orUnprocessable(() => entries(objectOf(body), 'partitions').map(placeIn));
}

/** Offsets to commit; `undefined` to commit what was read. */
export function readCommitBody(body: unknown): readonly PlaceAndOffset[] | undefined {
  return orUnprocessable(() => {
    const object = objectOf(body);
    if ((object.fields.offsets ?? null) === null) return undefined;
    return entries(object, 'offsets').map(placeAndOffset);
  });
}

export function readSeekBody(body: unknown): Seek {
  return orUnprocessable(() => {
    const object = objectOf(body);
    const isGiven = (name: string) => (object.fields[name] ?? null) !== null;
    return {
      offsets: isGiven('offsets') ? entries(object, 'offsets').map(placeAndOffset) : [],
      timestamps: isGiven('timestamps')
        ? entries(object, 'timestamps').map((entry) => ({ ...placeIn(entry), timestampMs: timeIn(entry) }))
        : [],
    };
  });
}

function entries(object: JsonObject, name: string): readonly JsonObject[] {
  const found = objectsIn(object, name);
  refuseMany(found, name);
  return found;
}

function refuseMany(list: readonly unknown[], name: string): void {
  const { httpConsumerEntriesMax } = gatewayLimits;
  if (list.length > httpConsumerEntriesMax)
    throw unprocessable(`${name} must not have more than ${httpConsumerEntriesMax} entries.`);
}

function topicOf(value: unknown): string {
  if (typeof value !== 'string' || !topicName.test(value))
    throw unprocessable('topics must be names of topics.');
  return value;
}

function placeIn(entry: JsonObject): Place {
  return {
    topic: topicOf(textIn(entry, 'topic')),
    partition: integerIn(entry, 'partition', partitionBounds),
  };
}

function placeAndOffset(entry: JsonObject): PlaceAndOffset {
  const offset = integerIn(entry, 'offset', commitOffsetBounds);
  const metadata = (entry.fields.metadata ?? null) === null ? '' : textIn(entry, 'metadata');
  return { ...placeIn(entry), offset, metadata };
}

/** A time as ISO 8601, or as seconds since 1970. */
function timeIn(entry: JsonObject): number {
  const { timestamp } = entry.fields;
  const ms = typeof timestamp === 'number' ? timestamp * 1000 : Date.parse(textIn(entry, 'timestamp'));
  if (!(ms >= 0 && ms <= Number.MAX_SAFE_INTEGER))
    throw unprocessable(`${entry.path}.timestamp must be a time in ISO 8601.`);
  return Math.floor(ms);
}
