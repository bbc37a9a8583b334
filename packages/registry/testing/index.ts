export { MemoryRegistry, MemoryRegistryStore } from './memory-registry-store.ts';
