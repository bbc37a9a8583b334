import { call, failureOfOne } from '../../api/client.ts';
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
      const outcome = await runEach(names, { act, failureOf: failureOfOne }, control);
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
      const outcome = await runEach(names, { act, failureOf: failureOfOne }, control);
      return endOfEach(outcome, {
        verb: 'Restored',
        noun: 'topic',
        again: (rest) => restorationOf(rest, of),
      });
    },
  };
}

const countText = (names: readonly string[]) =>
  names.length === 1 ? names[0]! : counted(names.length, 'topic');
