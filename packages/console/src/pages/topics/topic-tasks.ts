import { ApiError } from '@weir/api/client';
import { call, problemOf } from '../../api/client.ts';
import { counted } from '../../format/format.ts';
import { endOfEach, runEach } from '../../tasks/run-each.ts';
import type { TaskToStart } from '../../tasks/task-store.ts';

interface TopicsOf {
  readonly clusterId: string;
  /** Whether the cluster keeps deleted topics for a while. */
  readonly isRestorable: boolean;
}

/** Deletes topics one by one; what was deleted can be restored, also if others failed. */
export function deletionOf(names: readonly string[], of: TopicsOf): TaskToStart {
  return {
    title: `Delete ${countText(names)}`,
    run: async (control) => {
      const act = (topic_name: string) =>
        call('delete_topic', { virtual_cluster_id: of.clusterId, topic_name });
      const outcome = await runEach(names, { act, failureOf }, control);
      return endOfEach(outcome, {
        verb: 'Deleted',
        noun: 'topic',
        again: (rest) => deletionOf(rest, of),
        undo: of.isRestorable ? (deleted) => restorationOf(deleted, of) : undefined,
      });
    },
  };
}

function restorationOf(names: readonly string[], of: TopicsOf): TaskToStart {
  return {
    title: `Restore ${countText(names)}`,
    run: async (control) => {
      const act = (topic_name: string) =>
        call('undelete_topic', { virtual_cluster_id: of.clusterId, topic_name });
      const outcome = await runEach(names, { act, failureOf }, control);
      return endOfEach(outcome, {
        verb: 'Restored',
        noun: 'topic',
        again: (rest) => restorationOf(rest, of),
      });
    },
  };
}

/** A refusal is about one topic; without a session or a service the next one fails too. */
function failureOf(error: unknown) {
  const isOfOne = error instanceof ApiError && error.status < 500 && ![401, 403, 429].includes(error.status);
  return { problem: problemOf(error).message, isForAll: !isOfOne };
}

const countText = (names: readonly string[]) =>
  names.length === 1 ? names[0]! : counted(names.length, 'topic');
