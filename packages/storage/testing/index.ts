export { startFakeGcs } from './fake-gcs.ts';
export { type Faults, type FaultyStore, type FaultyStoreOptions, faultyStore } from './faulty-store.ts';
export { type LatencyStoreOptions, latencyStore, logNormalLatency } from './latency-store.ts';
export { logFileRule } from './log-file-rule.ts';
export { emptyMemoryStore } from './memory.ts';
export { type ObjectStoreContractOptions, objectStoreContract } from './object-store-contract.ts';
export { type TestBucket, testBuckets } from './sub-buckets.ts';
export { type WatchedDials, watchDials } from './watched-dials.ts';
