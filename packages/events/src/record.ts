import { internalTopicPrefix } from '@weir/core';
import { type EventRecord, envelopeContentType, envelopeVersion } from './envelope.ts';
import type { EventTypeName } from './event-types.ts';

/** What whoever emits an event says of it, besides its payload. */
export interface EventHead {
  readonly id: string;
  readonly source: string;
  readonly type: EventTypeName;
  readonly timeMs: number;
}

/** What whoever emits an event says of it. */
interface EventToWrite extends EventHead {
  readonly data: EventRecord['data'];
}

/**
 * The text that is the value of an event's record. There is no other way to write one: JSON as `JSON.stringify` gives it, without spaces, so that
 * those who look for bytes know how they stand there.
 */
export function serializeEvent({ data, ...head }: EventToWrite): string {
  return `${eventOpening(head)}${JSON.stringify(data)}}`;
}

/**
 * What stands before the payload, which a closing brace follows. The envelope is written out because agents do it thousands of times a second; a test
 * holds it against `JSON.stringify` of the whole.
 */
export function eventOpening({ id, source, type, timeMs }: EventHead): string {
  return `${eventIdOpening}${JSON.stringify(id)},"source":${JSON.stringify(source)},"type":"${type}","time":"${timeText(timeMs)}","datacontenttype":"${envelopeContentType}","data":`;
}

/** What stands before the id. */
export const eventIdOpening = `{"specversion":"${envelopeVersion}","id":`;

/** The payload of an event. What is `undefined` is left out. */
export type EventData = Readonly<Record<string, EventRecord['data'][string] | undefined>>;

/** Many events have the same millisecond, and to write a time costs as much as to write all the rest. */
let written = { timeMs: Number.NaN, text: '' };

function timeText(timeMs: number): string {
  if (timeMs !== written.timeMs) written = { timeMs, text: new Date(timeMs).toISOString() };
  return written.text;
}

/** The topic that holds the events of a type. */
export function eventTopicName(type: EventTypeName): string {
  return `${internalTopicPrefix}events_${type}`;
}

/** The source of events that a part of the control plane emits about a cluster. */
export function controlPlaneSource(virtualClusterId: string, part: string): string {
  return `ws:control-plane:${virtualClusterId}:${part}`;
}
