import type { Apis } from '@weir/wire';
import { refusedVoterChange } from '../cluster/voter-changes.ts';
import type { HandlerOf } from '../requests/handler.ts';

/** AddRaftVoter v0 and v1: refused, as every change of voters is. Requires ALTER on the cluster. */
export const addRaftVoterHandler: HandlerOf<Apis['AddRaftVoter']> = refusedVoterChange;
