import { silentLog } from '@weir/core';
import { journalContract } from '../testing/journal-contract.ts';
import { openJournals } from './open.ts';

journalContract('memory', (clock) => openJournals('memory://contract', { clock, log: silentLog }));
