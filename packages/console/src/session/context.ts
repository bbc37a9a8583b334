import { readAhead, useOperation } from '../api/use-operation.ts';

/** The caller, the workspaces and the clusters that it reaches. */
export function useContextOfCaller() {
  return useOperation('get_context', {}, { everyMs: 60_000 });
}

export function readContextOfCaller(): void {
  readAhead('get_context', {});
}
