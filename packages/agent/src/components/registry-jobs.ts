import type { OwnRegistry } from '@weir/gateway';
import { JobRunner, jobMetrics, schemaExport, schemaLinking, takesJobs } from '@weir/jobs';
import { started } from '../component.ts';
import { agentLimits } from '../limits.ts';
import type { RegistryAgentContext } from '../registry-agent-options.ts';

/** Jobs that copy schemas from and to other registries. */
export const registryJobs = {
  name: 'jobs',
  start({
    options,
    stop,
    tenantAccess,
    ownRegistry,
  }: RegistryAgentContext & { readonly ownRegistry: OwnRegistry }) {
    const { cluster: port, agentId, roles, clock, log, metrics } = options;
    const linking = schemaLinking({
      ...options,
      tenantAccess,
      async destination() {
        const { service, freshState } = await ownRegistry.open();
        return { service: await service(), state: freshState };
      },
    });
    const exporting = schemaExport({ ...options, tenantAccess, source: () => ownRegistry.exported() });
    const taker = { roles, jobCategories: options.jobs?.categories };
    const runner = new JobRunner({
      port,
      agentId,
      kinds: [linking, exporting].filter(({ category }) => takesJobs(taker, category)),
      // One that waits for a slow registry does not keep the others.
      slots: agentLimits.registryJobsMax,
      clock,
      log,
      metrics: jobMetrics(metrics),
    });
    runner.start();
    return started({}, () => stop.briefly(runner.stop()));
  },
};
