import { createClusterView, MeasuredLoads } from '@weir/broker';
import type { CommonContext } from '../agent-context.ts';
import { started } from '../component.ts';
import { unlessGivenUp } from '../start-and-stop.ts';

type Needs = CommonContext<'cluster' | 'clock' | 'log'>;

type FollowedView = ReturnType<typeof createClusterView>;
type Observer = Pick<Parameters<typeof createClusterView>[1], 'onSnapshot' | 'onChanges'>;

function follow({ options, self }: Needs, observer: Observer = {}): FollowedView {
  const { cluster, clock, log } = options;
  return createClusterView(cluster, { clock, log, ...observer, onConnected: () => self.beatNow() });
}

/** The agent's view of its cluster. It is empty until the first snapshot. */
export const clusterView = {
  name: 'cluster view',
  start(context: Needs & CommonContext<'buckets'>) {
    const { clock, buckets } = context.options;
    const loads = new MeasuredLoads(clock);
    const view = follow(context, {
      onSnapshot(snapshot) {
        loads.observe([{ kind: 'agents', agents: snapshot.agents }]);
        buckets?.restart(snapshot);
      },
      onChanges(changes) {
        loads.observe(changes);
        buckets?.observe(changes);
      },
    });
    return started({ view, loads }, () => view.close());
  },
};

/** The same for an agent that serves no records. */
export const registryClusterView = {
  name: 'cluster view',
  start(context: Needs) {
    const view = follow(context);
    return started({ view }, () => view.close());
  },
};

/** Waits for the view: components after it use what is in it. */
export const firstSnapshot = {
  name: 'first snapshot',
  async start({ options, view }: CommonContext<'givenUp'> & { readonly view: FollowedView }) {
    await unlessGivenUp(view.ready(), () => view.close(), options.givenUp);
    return started({});
  },
};
