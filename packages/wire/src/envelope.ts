import { decodePrefix, encodeInto, encodePaced } from './codec/codec.ts';
import { Writer } from './codec/writer.ts';
import {
  requestHeader,
  requestHeaderVersion,
  responseHeader,
  responseHeaderVersion,
} from './messages/headers.ts';
import { apiByKey } from './messages/index.ts';
import type { Fields, ReadStruct, WriteStruct } from './schema/field.ts';
import type { Api } from './schema/message.ts';
import { includesVersion } from './schema/versions.ts';

/**
 * Requests and responses on the wire: a frame is a length, a header and a body.
 *
 * Servers read the header first, because it has the API and the version of the body, which may be unknown.
 */
export interface RequestEnvelope {
  readonly apiKey: number;
  readonly apiVersion: number;
  readonly correlationId: number;
  readonly clientId: string | null;
  /** The definition, if there is one that includes the version. */
  readonly api: Api | undefined;
  /** Where the body begins in the frame. */
  readonly bodyStart: number;
}

/**
 * Reads the header of a request. For an unknown API or version, it reads the fields that all header versions share,
 * which is enough to answer an ApiVersions request that is too new.
 */
export function decodeRequestHeader(frame: Buffer): RequestEnvelope {
  const shared = decodePrefix(requestHeader, 1, frame);
  const { apiKey, apiVersion, correlationId, clientId } = shared.value;
  const known = apiByKey(apiKey);
  const api = known !== undefined && includesVersion(known.versions, apiVersion) ? known : undefined;
  const needsTags = api !== undefined && requestHeaderVersion(api, apiVersion) === 2;
  // Header v2 is v1 followed by tagged fields, so reading it again from the start costs little and needs only one
  // definition.
  const bodyStart = needsTags ? decodePrefix(requestHeader, 2, frame).end : shared.end;
  return { apiKey, apiVersion, correlationId, clientId, api, bodyStart };
}

/**
 * Reads the body of a request. Bytes after it are ignored and counted: released clients send some (librdkafka in
 * Metadata v9+ and AlterUserScramCredentials, kafka-go in DescribeAcls), and Apache's broker ignores them. Array
 * elements are counted, too, and more than `elementsMax` are refused.
 */
export function decodeRequestBody<Request extends Fields, Response extends Fields>(
  api: Api<Request, Response>,
  apiVersion: number,
  frame: Buffer,
  bodyStart: number,
  elementsMax?: number,
): { readonly body: ReadStruct<Request>; readonly surplusBytes: number; readonly elements: number } {
  const { value, end, elements } = decodePrefix(api.request, apiVersion, frame, bodyStart, elementsMax);
  return { body: value as ReadStruct<Request>, surplusBytes: frame.length - end, elements };
}

/** The whole request as slices for `writev`, including the length prefix. */
export function encodeRequest<Request extends Fields, Response extends Fields>(
  api: Api<Request, Response>,
  apiVersion: number,
  header: { readonly correlationId: number; readonly clientId: string | null },
  body: WriteStruct<Request>,
): Buffer[] {
  const { correlationId, clientId } = header;
  return frameOf((writer) => {
    const fields = { apiKey: api.key, apiVersion, correlationId, clientId };
    encodeInto(writer, requestHeader, requestHeaderVersion(api, apiVersion), fields);
    encodeInto(writer, api.request, apiVersion, body as never);
  });
}

/** The whole response as slices for `writev`, including the length prefix. */
export function encodeResponse<Request extends Fields, Response extends Fields>(
  api: Api<Request, Response>,
  apiVersion: number,
  correlationId: number,
  body: WriteStruct<Response>,
): Buffer[] {
  return frameOf((writer) => {
    encodeInto(writer, responseHeader, responseHeaderVersion(api, apiVersion), { correlationId });
    encodeInto(writer, api.response, apiVersion, body as never);
  });
}

/** Like `encodeResponse`, but yields after every few thousand array elements. */
export function* encodePacedResponse<Request extends Fields, Response extends Fields>(
  api: Api<Request, Response>,
  apiVersion: number,
  correlationId: number,
  body: WriteStruct<Response>,
): Generator<undefined, Buffer[], undefined> {
  const { writer, finish } = beginFrame();
  encodeInto(writer, responseHeader, responseHeaderVersion(api, apiVersion), { correlationId });
  yield* encodePaced(writer, api.response, apiVersion, body as never);
  return finish();
}

/** Reads the correlation id, by which a client finds the request of a response. */
export function decodeCorrelationId(frame: Buffer): number {
  return decodePrefix(responseHeader, 0, frame).value.correlationId;
}

/** Reads a response. Bytes after it are ignored, as by Apache's clients. */
export function decodeResponse<Request extends Fields, Response extends Fields>(
  api: Api<Request, Response>,
  apiVersion: number,
  frame: Buffer,
): { readonly correlationId: number; readonly body: ReadStruct<Response> } {
  const header = decodePrefix(responseHeader, responseHeaderVersion(api, apiVersion), frame);
  const { value } = decodePrefix(api.response, apiVersion, frame, header.end);
  return { correlationId: header.value.correlationId, body: value as ReadStruct<Response> };
}

function frameOf(write: (writer: Writer) => void): Buffer[] {
  const { writer, finish } = beginFrame();
  write(writer);
  return finish();
}

function beginFrame(): { readonly writer: Writer; readonly finish: () => Buffer[] } {
  const writer = new Writer();
  const lengthAt = writer.reserve(4);
  const firstChunk = writer.view;
  return {
    writer,
    finish: () => {
      firstChunk.setInt32(lengthAt, writer.byteLength - 4);
      return writer.finish();
    },
  };
}
