export { MemoryRegistry, MemoryRegistryStore } from './memory-registry-store.ts';
export { TestReader } from './test-reader.ts';
export { textFormat } from './text-format.ts';
