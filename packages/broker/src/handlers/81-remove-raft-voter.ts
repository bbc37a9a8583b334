import type { Apis } from '@weir/wire';
import { refusedVoterChange } from '../cluster/voter-changes.ts';
import type { HandlerOf } from '../requests/handler.ts';

/** RemoveRaftVoter v0: refused, as every change of voters is. Requires ALTER on the cluster. */
export const removeRaftVoterHandler: HandlerOf<Apis['RemoveRaftVoter']> = refusedVoterChange;
