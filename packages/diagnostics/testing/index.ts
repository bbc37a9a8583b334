export { changeDiagnostics } from '../src/change.ts';
export { agentOf } from './diagnostic-snapshot.ts';
export { diagnosticsStoreContract } from './diagnostics-store-contract.ts';
export { MemoryDiagnosticsStore } from './memory-diagnostics-store.ts';
