export { jsonText } from '../src/avro/json-text.ts';
export { AvroGenerator } from './avro-generator.ts';
export { avroJson } from './avro-json.ts';
export { builtinProtobufFiles } from './builtin-descriptors.ts';
export { fieldListFormat, fieldListFormats } from './field-list-format.ts';
export { fieldListService } from './field-list-service.ts';
export { MemoryRegistry, MemoryRegistryStore } from './memory-registry-store.ts';
export {
  changedSchema,
  pick,
  type Random,
  randomOf,
  randomSchema,
  schemaText,
} from './protobuf-schemas.ts';
export { invalidTexts, validTexts } from './protobuf-texts.ts';
export { answerOrCode, requestTable } from './request-table.ts';
export { schemaSource } from './schema-source.ts';
export { serviceAsDestination } from './service-as-destination.ts';
export { serviceAsSource } from './service-as-source.ts';
export { TestReader } from './test-reader.ts';
export { textFormat } from './text-format.ts';
