import type { ClusterView, DamageRegistry, ReadPath } from '@weir/broker';
import { DamageRechecks } from '@weir/broker';
import type { AgentContext } from '../agent-context.ts';
import { started } from '../component.ts';

interface Needs extends AgentContext {
  readonly view: ClusterView;
  readonly readPath: ReadPath;
  readonly damage: DamageRegistry;
}

/** Notices the end of damage, also where no consumer reads. */
export const damageRechecks = {
  name: 'damage rechecks',
  start({ options: { clock, log }, view, readPath, damage }: Needs) {
    const rechecks = new DamageRechecks({ damage, port: view.port, readPath, clock, log });
    rechecks.start();
    return started({}, () => rechecks.stop());
  },
};
