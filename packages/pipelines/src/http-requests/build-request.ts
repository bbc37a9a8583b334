import { randomBytes } from 'node:crypto';
import type { MappingPorts } from '@weir/bloblang';
import type { Interpolated } from '../component/interpolated.ts';
import type { Batch } from '../component/message.ts';
import type { MetadataFilter } from '../component/metadata-filter.ts';
import { type Part, printMultipart } from './multipart.ts';

/** One part of a body that a configuration writes. */
export interface PartTemplate {
  readonly content_type: Interpolated;
  readonly content_disposition: Interpolated;
  readonly body: Interpolated;
}

export interface RequestTemplate {
  readonly url: Interpolated;
  readonly verb: string;
  readonly headers: ReadonlyMap<string, Interpolated>;
  readonly metadata: MetadataFilter;
  /** A body instead of the contents of messages. */
  readonly payload?: Interpolated | undefined;
  readonly parts?: readonly PartTemplate[] | undefined;
}

export interface BuiltRequest {
  readonly url: URL;
  readonly method: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

const plainType = 'application/octet-stream';

/** Makes the request for a batch: its one message is the body, and several messages are a multipart body. */
export function buildRequest(template: RequestTemplate, batch: Batch, ports: MappingPorts): BuiltRequest {
  const text = (value: Interpolated, index = 0) => value.text(batch, index, ports);
  const headers: Record<string, string> = Object.create(null);
  for (const [name, value] of template.headers) headers[name.toLowerCase()] = text(value);
  const [first] = batch;
  if (first !== undefined)
    for (const [name, value] of template.metadata.textsOf(first.metadata))
      headers[name.toLowerCase()] ??= value;
  const { content, type } = bodyOf(template, batch, ports);
  if (type !== undefined) headers['content-type'] = type;
  return { url: urlOf(text(template.url)), method: template.verb.toUpperCase(), headers, body: content };
}

function urlOf(text: string): URL {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new Error('the URL has to begin with http:// or https://');
  return url;
}

interface Body {
  readonly content: Buffer | undefined;
  /** Absent if that of the headers holds. */
  readonly type?: string | undefined;
}

function bodyOf(template: RequestTemplate, batch: Batch, ports: MappingPorts): Body {
  const { payload, parts = [], metadata } = template;
  const contentType = typeIn(template.headers);
  if (payload !== undefined)
    return { content: Buffer.from(payload.text(batch, 0, ports)), type: contentType ? undefined : plainType };
  if (parts.length > 0)
    return multipart(
      parts.map((part) => ({
        headers: [
          ['Content-Type', part.content_type.text(batch, 0, ports)],
          ['Content-Disposition', part.content_disposition.text(batch, 0, ports)],
        ],
        content: Buffer.from(part.body.text(batch, 0, ports)),
      })),
    );
  const [first, second] = batch;
  if (first === undefined) return { content: undefined };
  if (second === undefined) return { content: first.content, type: contentType ? undefined : plainType };
  return multipart(
    batch.map((message, index) => ({
      headers: [
        ['Content-Type', contentType?.text(batch, index, ports) ?? plainType],
        ...metadata.textsOf(message.metadata),
      ],
      content: message.content,
    })),
  );
}

function typeIn(headers: ReadonlyMap<string, Interpolated>): Interpolated | undefined {
  for (const [name, value] of headers) if (name.toLowerCase() === 'content-type') return value;
  return undefined;
}

function multipart(parts: readonly Part[]): Body {
  // A random text that no writer of messages can know, so that no content has it.
  const boundary = randomBytes(24).toString('hex');
  return { content: printMultipart(parts, boundary), type: `multipart/form-data; boundary=${boundary}` };
}
