export { fieldListFormat, fieldListFormats } from './field-list-format.ts';
export { fieldListService } from './field-list-service.ts';
export { MemoryRegistry, MemoryRegistryStore } from './memory-registry-store.ts';
export { TestReader } from './test-reader.ts';
export { textFormat } from './text-format.ts';
