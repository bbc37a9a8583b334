import { diagnosticsStoreContract } from '../../testing/diagnostics-store-contract.ts';
import { MemoryDiagnosticsStore } from './memory-store.ts';

diagnosticsStoreContract('memory', async () => new MemoryDiagnosticsStore());
