import { fileIdSequence } from '@weir/core';
import type { ClusterState } from '../cluster-state.ts';

/**
 * Whether a file is one of an open sequence (ADR 0202): it may have been acknowledged before its commit. So it can be
 * committed at any age, is never taken for an orphan, and is not forgotten once it was committed: what this
 * state does not know of it is certainly uncommitted (F12).
 */
export function isOfOpenSequence({ kv }: ClusterState, fileId: string): boolean {
  return kv.of('fileSequence').size > 0 && kv.get('fileSequence', fileIdSequence(fileId)) !== undefined;
}
