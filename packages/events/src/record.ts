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
export interface EventToWrite extends EventHead {
  readonly data: EventRecord['data'];
}

/**
 * The text that is the value of an event's record. There is no other way to write one: JSON as `JSON.stringify` gives it, without spaces, so that
 * those who look for bytes know how they stand there.
 */
export function serializeEvent({ data, ...head }: EventToWrite): string {
  return serializeEventText(head, JSON.stringify(data));
}

/**
 * The same for those whose payload is text already. The envelope is written out because agents do it thousands of times a second; a test holds it against
 * `JSON.stringify` of the whole.
 */
export function serializeEventText({ id, source, type, timeMs }: EventHead, dataText: string): string {
  return `{"specversion":"${envelopeVersion}","id":${JSON.stringify(id)},"source":${JSON.stringify(source)},"type":"${type}","time":"${timeText(timeMs)}","datacontenttype":"${envelopeContentType}","data":${dataText}}`;
}

/** The payload of an event. What is `undefined` is left out. */
export type EventData = Readonly<Record<string, EventRecord['data'][string] | undefined>>;

/** What all events of somebody say. */
export interface CommonData {
  /** The text of a payload that says this too. */
  textWith(data: EventData): string;
}

/** It is made text once. Whatever it says counts, also where a payload says otherwise. */
export function commonData(common: Readonly<Record<string, string>>): CommonData {
  const keys = Object.keys(common);
  const rest = JSON.stringify(common).slice(1);
  return {
    textWith(data) {
      for (const key of keys) if (Object.hasOwn(data, key)) return JSON.stringify({ ...data, ...common });
      const text = JSON.stringify(data);
      return text === '{}' ? `{${rest}` : `${text.slice(0, -1)},${rest}`;
    },
  };
}

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
