import { internalTopicPrefix } from '@weir/core';
import { type EventRecord, envelopeContentType, envelopeVersion } from './envelope.ts';
import type { EventTypeName } from './event-types.ts';

/** The attributes of an event that its emitter provides, without the payload. */
export interface EventHead {
  readonly id: string;
  readonly source: string;
  readonly type: EventTypeName;
  readonly timeMs: number;
}

/** An event as its emitter provides it. */
interface EventToWrite extends EventHead {
  readonly data: EventRecord['data'];
}

/**
 * Serializes an event as the value of its record. All events are written by this function: compact JSON as
 * `JSON.stringify` gives it, so that byte searches know the exact form.
 */
export function serializeEvent({ data, ...head }: EventToWrite): string {
  return `${eventOpening(head)}${JSON.stringify(data)}}`;
}

/**
 * Returns the text before the payload; a closing brace follows the payload. The envelope is assembled by hand because
 * agents write thousands per second; a test compares it with `JSON.stringify` of the whole.
 */
export function eventOpening({ id, source, type, timeMs }: EventHead): string {
  return `${eventIdOpening}${JSON.stringify(id)},"source":${JSON.stringify(source)},"type":"${type}","time":"${timeText(timeMs)}","datacontenttype":"${envelopeContentType}","data":`;
}

/** The text before the id. */
export const eventIdOpening = `{"specversion":"${envelopeVersion}","id":`;

/** The payload of an event. `undefined` fields are omitted. */
export type EventData = Readonly<Record<string, EventRecord['data'][string] | undefined>>;

/**
 * Caches the last formatted time: many events share a millisecond, and formatting a time costs as much as everything
 * else.
 */
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
