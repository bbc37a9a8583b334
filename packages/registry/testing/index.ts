export { jsonText } from '../src/avro/json-text.ts';
export { AvroGenerator } from './avro-generator.ts';
export { fieldListFormat, fieldListFormats } from './field-list-format.ts';
export { fieldListService } from './field-list-service.ts';
export { MemoryRegistry, MemoryRegistryStore } from './memory-registry-store.ts';
export { answerOrCode, requestTable } from './request-table.ts';
export { schemaSource } from './schema-source.ts';
export { TestReader } from './test-reader.ts';
export { textFormat } from './text-format.ts';
