import { silentLog } from '@weir/core';
import { journalContract } from '../testing/journal-contract.ts';
import { regionsContract } from '../testing/regions-contract.ts';
import { openJournals } from './open.ts';

journalContract('memory', (clock) => openJournals('memory://contract', { clock, log: silentLog }));
regionsContract('memory', (clock) => openJournals('memory://regions', { clock, log: silentLog }));
