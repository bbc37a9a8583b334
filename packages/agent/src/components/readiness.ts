import { WriteHealth } from '@weir/broker';
import { probesFolder } from '@weir/storage';
import type { AgentContext, CommonContext } from '../agent-context.ts';
import { started } from '../component.ts';
import { Readiness } from '../readiness/readiness.ts';

/** Whether the agent can serve: it cannot before everything has started. */
export const readiness = {
  name: 'readiness',
  start({ options, jobSettings }: AgentContext) {
    const { clock, clusterId, agentId } = options;
    const health = new WriteHealth(clock);
    const deletes = jobSettings.deletesFiles;
    const probeKey = `${probesFolder(clusterId)}${deletes ? agentId : 'writes'}`;
    return started({ health, readiness: new Readiness({ ...options, writes: health, probeKey, deletes }) });
  },
};

/** The same for an agent without a bucket. */
export const registryReadiness = {
  name: 'readiness',
  start({ options: { clock, log, metrics } }: CommonContext<'clock' | 'log' | 'metrics'>) {
    const writes = new WriteHealth(clock);
    return started({
      readiness: new Readiness({ writes, probeKey: '', deletes: false, clock, log, metrics }),
    });
  },
};

/** The last component: the agent is ready from its start on. */
export const serving = {
  name: 'serving',
  start({ readiness: ofAgent }: { readonly readiness: Readiness }) {
    ofAgent.start();
    return started({}, () => ofAgent.stop());
  },
};
