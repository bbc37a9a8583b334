import { connect } from 'node:net';
import { createClusterView, LeaderlessPeers, MeasuredLoads } from '@weir/broker';
import type { AgentDescription } from '@weir/cluster';
import type { Clock } from '@weir/core';
import type { CommonContext } from '../agent-context.ts';
import { started } from '../component.ts';
import { unlessGivenUp } from '../start-and-stop.ts';

type Needs = CommonContext<'cluster' | 'hasRipcord' | 'clock' | 'log'>;

type FollowedView = ReturnType<typeof createClusterView>;
type Observer = Pick<Parameters<typeof createClusterView>[1], 'onSnapshot' | 'onChanges' | 'livingAgents'>;

function follow({ options, self }: Needs, observer: Observer = {}): FollowedView {
  const { cluster, clock, log } = options;
  return createClusterView(cluster, {
    clock,
    log,
    servesWithoutLeader: options.hasRipcord,
    ...observer,
    onConnected: () => self.beatNow(),
  });
}

/** The agent's view of its cluster. It is empty until the first snapshot. */
export const clusterView = {
  name: 'cluster view',
  start(context: Needs & CommonContext<'agentId' | 'buckets'>) {
    const { agentId, clock, buckets, hasRipcord = false } = context.options;
    const loads = new MeasuredLoads(clock);
    const peers = hasRipcord
      ? new LeaderlessPeers({
          agentId,
          isLeaderless: () => view.isLeaderless(),
          reaches: (agent) => acceptsConnections(agent, clock),
          clock,
        })
      : undefined;
    const view: FollowedView = follow(context, {
      livingAgents: peers && ((agents) => peers.living(agents)),
      onSnapshot(snapshot) {
        loads.observe([{ kind: 'agents', agents: snapshot.agents }]);
        buckets?.restart(snapshot);
      },
      onChanges(changes) {
        loads.observe(changes);
        buckets?.observe(changes);
      },
    });
    return started({ view, loads }, () => {
      peers?.stop();
      view.close();
    });
  },
};

/** How long another agent may take to accept a connection before it counts as gone. */
const connectMsMax = 1_000;

/** Whether an agent accepts connections where other agents reach it. */
function acceptsConnections({ internalUrl }: AgentDescription, clock: Clock): Promise<boolean> {
  return new Promise((resolve) => {
    const { hostname, port, protocol } = new URL(internalUrl);
    const socket = connect({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port) || (protocol === 'https:' ? 443 : 80),
    });
    const cancel = clock.after(connectMsMax, () => end(false));
    const end = (isReached: boolean) => {
      cancel();
      socket.destroy();
      resolve(isReached);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
  });
}

/** The same for an agent that serves no records. */
export const registryClusterView = {
  name: 'cluster view',
  start(context: Needs) {
    const view = follow(context);
    return started({ view }, () => view.close());
  },
};

/** Longer than a control plane is usually away: from then on the log says what the agent waits for. */
const unledStartMs = 10_000;

/** Waits for the view: components after it use what is in it. */
export const firstSnapshot = {
  name: 'first snapshot',
  async start({
    options,
    view,
  }: CommonContext<'givenUp' | 'hasRipcord' | 'clock' | 'log'> & { readonly view: FollowedView }) {
    const { givenUp, hasRipcord = false, clock, log } = options;
    const cancel = clock.after(unledStartMs, () =>
      log.warn('found no control plane, serving nothing until there is one', {
        reason: hasRipcord
          ? '-enableRipcord goes on without one only after the start'
          : 'the cluster is unknown',
      }),
    );
    await unlessGivenUp(view.ready(), () => view.close(), givenUp).finally(cancel);
    return started({});
  },
};
