import { internalTopicPrefix } from '@weir/core';
import { type EventRecord, envelopeContentType, envelopeVersion } from './envelope.ts';
import type { EventTypeName } from './event-types.ts';

/** What whoever emits an event says of it. */
export interface EventToWrite {
  readonly id: string;
  readonly source: string;
  readonly type: EventTypeName;
  readonly timeMs: number;
  readonly data: EventRecord['data'];
}

/**
 * The text that is the value of an event's record. There is no other way to write one: JSON as `JSON.stringify` gives it, without spaces, so that
 * those who look for bytes know how they stand there.
 */
export function serializeEvent({ id, source, type, timeMs, data }: EventToWrite): string {
  const event: EventRecord = {
    specversion: envelopeVersion,
    id,
    source,
    type,
    time: new Date(timeMs).toISOString(),
    datacontenttype: envelopeContentType,
    data,
  };
  return JSON.stringify(event);
}

/** The topic that holds the events of a type. */
export function eventTopicName(type: EventTypeName): string {
  return `${internalTopicPrefix}events_${type}`;
}

/** The source of events that a part of the control plane emits about a cluster. */
export function controlPlaneSource(virtualClusterId: string, part: string): string {
  return `ws:control-plane:${virtualClusterId}:${part}`;
}
