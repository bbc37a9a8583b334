export type { CallOptions, ListOptions, ObjectInfo, ObjectStore } from './store/object-store.ts';
