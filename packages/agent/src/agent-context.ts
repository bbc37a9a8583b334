import type { TenantAccess } from '@weir/cluster/outbound';
import type { JobSettings } from '@weir/jobs';
import type { AgentOptions } from './agent-options.ts';
import type { AgentEvents } from './events/agent-events.ts';
import type { OwnDescription } from './own-description.ts';
import type { AgentStats } from './stats/agent-stats.ts';
import type { StopDeadline } from './stop-deadline.ts';

/** What components of any agent have; `Used` names the options that one reads. */
export interface CommonContext<Used extends keyof AgentOptions> {
  readonly options: Pick<AgentOptions, Used>;
  readonly self: OwnDescription;
  readonly stats: AgentStats;
  readonly stop: StopDeadline;
  readonly tenantAccess: TenantAccess;
}

/** What components of an agent that serves records have before others provide more. */
export interface AgentContext extends CommonContext<keyof AgentOptions> {
  readonly events: AgentEvents;
  readonly jobSettings: JobSettings;
}
