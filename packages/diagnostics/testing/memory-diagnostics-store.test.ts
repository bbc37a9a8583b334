import { diagnosticsStoreContract } from './diagnostics-store-contract.ts';
import { MemoryDiagnosticsStore } from './memory-diagnostics-store.ts';

diagnosticsStoreContract('memory', async () => new MemoryDiagnosticsStore());
