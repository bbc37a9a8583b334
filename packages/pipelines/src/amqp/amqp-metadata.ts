import { textOf, type Value } from '@weir/bloblang';
import type { ConsumeMessage } from 'amqplib';
import type { Metadata } from '../component/message.ts';

/** Tables within tables. */
const depthMax = 32;

/** Properties and headers of a message as metadata, all texts, and only those that are not empty. */
export function metadataOf({ fields, properties }: ConsumeMessage): Map<string, string> {
  const metadata = new Map<string, string>();
  for (const [key, value] of Object.entries(properties.headers ?? {})) add(metadata, key, value);
  const known: Readonly<Record<string, unknown>> = {
    amqp_content_type: properties.contentType,
    amqp_content_encoding: properties.contentEncoding,
    amqp_delivery_mode: properties.deliveryMode || undefined,
    amqp_priority: properties.priority ?? 0,
    amqp_correlation_id: properties.correlationId,
    amqp_reply_to: properties.replyTo,
    amqp_expiration: properties.expiration,
    amqp_message_id: properties.messageId,
    amqp_timestamp: properties.timestamp,
    amqp_type: properties.type,
    amqp_user_id: properties.userId,
    amqp_app_id: properties.appId,
    amqp_consumer_tag: fields.consumerTag,
    amqp_delivery_tag: fields.deliveryTag,
    amqp_redelivered: fields.redelivered,
    amqp_exchange: fields.exchange,
    amqp_routing_key: fields.routingKey,
  };
  for (const [key, value] of Object.entries(known)) add(metadata, key, value);
  return metadata;
}

function add(metadata: Map<string, string>, key: string, value: unknown, depth = 0): void {
  const name = key.replaceAll('-', '_');
  const text = scalarOf(value);
  if (text !== undefined) {
    if (text !== '') metadata.set(name, text);
    return;
  }
  if (depth < depthMax)
    for (const [inner, item] of Object.entries(value as object))
      add(metadata, `${name}_${inner}`, item, depth + 1);
}

/** `undefined` for tables and lists. */
function scalarOf(value: unknown): string | undefined {
  if (value === null || value === undefined) return '';
  if (Buffer.isBuffer(value)) return value.toString();
  if (typeof value !== 'object') return String(value);
  // Values that JavaScript has no type for.
  const { '!': type, value: wrapped } = value as { readonly '!'?: unknown; readonly value?: unknown };
  if (type === 'timestamp' && typeof wrapped === 'number')
    return new Date(wrapped * 1000).toISOString().replace('.000Z', 'Z');
  if (type === 'decimal') {
    const { digits = 0, places = 0 } = wrapped as { readonly digits?: number; readonly places?: number };
    return (digits / 10 ** places).toFixed(Math.min(places, 100));
  }
  return type === undefined ? undefined : String(wrapped);
}

/** Metadata as headers, without the keys that begin with one of the prefixes. */
export function headersOf(metadata: Metadata, excludedPrefixes: readonly string[]): Record<string, unknown> {
  const headers: Record<string, unknown> = {};
  for (const [key, value] of metadata)
    if (!excludedPrefixes.some((prefix) => key.startsWith(prefix)))
      headers[key.replaceAll('_', '-')] = headerOf(value);
  return headers;
}

function headerOf(value: Value): unknown {
  return typeof value === 'boolean' || typeof value === 'number' ? value : textOf(value);
}
