import { deleteTopics, listTopics } from '@weir/client';
import { type Handler, stoppedStatus } from '../handler.ts';
import { escapeControls } from '../problem.ts';
import { Progress } from '../results/progress.ts';
import { printResult } from '../results/results.ts';
import { onCluster } from './connection.ts';

/**
 * Deletes every topic except internal ones. The rules have checked that the user confirmed it. A topic that cannot be
 * deleted does not prevent the others.
 */
export const deleteAllTopicsTool: Handler<'cli delete-all-topics-unsafe'> = async (values, deps) => {
  const { output, stop } = deps;
  const batchSize = values['batch-size'];
  let deleted = 0;
  let remaining = 0;
  const progress = new Progress(values, deps);
  await onCluster(values, deps, async (cluster) => {
    const topics = await listTopics(cluster);
    const names = topics.filter(({ isInternal }) => !isInternal).map(({ name }) => name ?? '');
    for (let at = 0; at < names.length && !stop.aborted; at += batchSize) {
      if (at > 0) await cluster.pause(values['sleep-between-batch']);
      if (stop.aborted) return;
      const batch = names.slice(at, at + batchSize);
      const failures = await deleteTopics(cluster, batch);
      progress.clear();
      for (const name of batch) {
        const failure = failures.get(name);
        if (failure === undefined) {
          deleted++;
          printResult(values, deps, {
            json: { topic: name, deleted: true },
            text: () => `deleted topic ${escapeControls(name)}\n`,
          });
        } else {
          remaining++;
          output.err(`weir cli delete-all-topics-unsafe: ${escapeControls(failure.message)}\n`);
        }
      }
      await output.drained();
      progress.show({ done: deleted + remaining, total: names.length, unit: 'topics' });
    }
  });
  progress.clear();
  if (values.output !== 'json') {
    output.out(`deleted ${deleted} topics${remaining === 0 ? '' : `; failed to delete ${remaining}`}\n`);
  }
  if (stop.aborted) return stoppedStatus;
  return remaining === 0 ? 0 : 1;
};
