export { decodeMessage, decodePrefix, encodeMessage } from './codec/codec.ts';
export { EncodeError } from './codec/encode-error.ts';
export { DecodeError } from './decode-error.ts';
export {
  decodeCorrelationId,
  decodeRequestBody,
  decodeRequestHeader,
  decodeResponse,
  encodeRequest,
  encodeResponse,
  type RequestEnvelope,
} from './envelope.ts';
export { FrameSplitter } from './frame-splitter.ts';
export {
  requestHeader,
  requestHeaderVersion,
  responseHeader,
  responseHeaderVersion,
} from './messages/headers.ts';
export { type ApiName, type Apis, apiByKey, apis } from './messages/index.ts';
export type { Slices, UnknownTaggedField } from './schema/field.ts';
export { type Layout, type LayoutField, type LayoutType, layoutOf, zeroUuid } from './schema/layout.ts';
export type { Api, Decoded, Encodable, Message, RequestOf, ResponseOf } from './schema/message.ts';
export { includesVersion, type VersionRange } from './schema/versions.ts';
