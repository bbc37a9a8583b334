/** Schemas as types, and payloads as values of them: for those who make something else of records than JSON. */
export { type AvroSchema, avroFormat } from './avro/avro-format.ts';
export type { AvroType, RecordType } from './avro/avro-type.ts';
export { logicalProperties } from './avro/logical-type.ts';
export { isArray, isObject, type JsonNode, JsonNumber, type JsonObject } from './exact-json.ts';
export { parseSchemaJson } from './json-schema/parse-json.ts';
export { decodeMessage } from './protobuf/decode-message.ts';
export { type JsonContext, jsonOfMessage } from './protobuf/json-of-message.ts';
export { messageAt, pathOfMessage, readMessageIndex } from './protobuf/message-index.ts';
export { type FieldValue, MessageValue } from './protobuf/message-value.ts';
export { PayloadReader } from './protobuf/payload-reader.ts';
export { messagesByName } from './protobuf/protobuf-codec.ts';
export { type ProtobufSchema, protobufFormat } from './protobuf/protobuf-format.ts';
export type { EnumType, FieldType, MessageType } from './protobuf/types.ts';
export { wellKnownName } from './protobuf/well-known-shape.ts';
export { timestampText, wrapperTypes } from './protobuf/well-known-types.ts';
export {
  InvalidPayload,
  InvalidSchema,
  type PayloadCodec,
  type SchemaSource,
  type SchemaType,
} from './schema-format.ts';
