import { type LinkingTask, linkingScope, schemaLinkingKind, writeLinkingTask } from '@weir/cluster';
import type { JobPlanner } from './job-planner.ts';

/** A pipeline that runs: what it copies, and how often. */
export interface LinkingPipeline {
  readonly task: LinkingTask;
  readonly everyMs: number;
}

/**
 * Plans a sync of every pipeline of schema linking when its interval has passed since the last one, and at once after
 * it was started, got another configuration, or the leader changed.
 */
export function schemaLinkingPlanner(pipelines: () => Promise<readonly LinkingPipeline[]>): JobPlanner {
  return {
    kind: schemaLinkingKind,
    // Two syncs at a time would only be in each other's way.
    openMax: 1,
    retry: { firstMs: 10_000, maxMs: 300_000 },
    async unwanted(scopes) {
      const wanted = new Set((await pipelines()).map(({ task }) => linkingScope(task)));
      return scopes.filter((scope) => !wanted.has(scope));
    },
    async plan({ nowMs, isOpen, lastDoneMs }) {
      const due = (await pipelines()).filter(({ task, everyMs }) => {
        const scope = linkingScope(task);
        const doneMs = lastDoneMs(scope);
        return !isOpen(scope) && (doneMs === undefined || nowMs - doneMs >= everyMs);
      });
      return due.map(({ task }) => ({ scope: linkingScope(task), task: writeLinkingTask(task) }));
    },
  };
}
