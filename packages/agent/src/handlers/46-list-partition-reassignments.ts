import { type Apis, errors } from '@weir/wire';
import type { HandlerOf } from './handler.ts';

/** ListPartitionReassignments v0: nothing is ever being moved. */
export const listPartitionReassignmentsHandler: HandlerOf<Apis['ListPartitionReassignments']> = () => ({
  throttleTimeMs: 0,
  errorCode: errors.NONE.code,
  errorMessage: null,
  topics: [],
});
