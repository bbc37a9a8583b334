import type { ClusterView, WritePath } from '@weir/broker';
import type { AgentContext } from '../agent-context.ts';
import { started } from '../component.ts';

interface Needs extends AgentContext {
  readonly view: ClusterView;
  readonly writePath: WritePath;
}

/** Log lines and metrics of the agent become events from here on. */
export const eventEmission = {
  name: 'events',
  start({ events, view, writePath }: Needs) {
    events.start({ view, writePath });
    return started({}, () => events.stop());
  },
};
