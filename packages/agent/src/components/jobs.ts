import type { ClusterView } from '@weir/broker';
import type { OwnRegistry } from '@weir/gateway';
import { jobService, MergePace, schemaExport } from '@weir/jobs';
import type { AgentContext } from '../agent-context.ts';
import { started } from '../component.ts';

interface Needs extends AgentContext {
  readonly view: ClusterView;
  readonly ownRegistry: OwnRegistry | undefined;
}

/** Background jobs. */
export const jobs = {
  name: 'jobs',
  start({ options, stop, stats, jobSettings, tenantAccess, view, ownRegistry }: Needs) {
    const mergePace = new MergePace(options.clock);
    stats.onProduceWritten = (latencyMs) => mergePace.written(latencyMs);
    const service = jobService({
      ...options,
      settings: jobSettings,
      view,
      storedBytes: () => stats.storedBytes,
      mergePace,
      mergeStats: stats,
      others: ownRegistry && [
        schemaExport({ ...options, tenantAccess, source: () => ownRegistry.exported(), runningMax: 1 }),
      ],
    });
    service.start();
    return started({}, () => stop.briefly(service.stop()));
  },
};
