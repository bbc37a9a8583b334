import {
  type ClusterView,
  Confirmations,
  type ConnectedClients,
  type DamageRegistry,
  type ManagedWrites,
  type WriteHealth,
} from '@weir/broker';
import type { AgentContext, CommonContext } from '../agent-context.ts';
import { started } from '../component.ts';
import { Heartbeats } from '../heartbeats.ts';
import type { Readiness } from '../readiness/readiness.ts';
import { unlessGivenUp } from '../start-and-stop.ts';
import type { AgentStats } from '../stats/agent-stats.ts';
import { certificateExpiry } from '../stats/certificate-expiry.ts';

type Measured = Omit<Parameters<AgentStats['report']>[0], 'certificates' | 'tokens'>;

interface Needs
  extends CommonContext<'agentId' | 'cluster' | 'tls' | 'tokens' | 'clock' | 'log' | 'metrics'> {
  readonly readiness: Readiness;
}

function heartbeatsOf({ options, self, stats, readiness }: Needs, measured: Measured): Heartbeats {
  const { cluster: port, tls, clock, log, metrics } = options;
  const heartbeats = new Heartbeats({
    port,
    self: () => self.now(),
    onHeartbeat(agents) {
      self.named(agents);
      readiness.heartbeatAnswered();
    },
    reports: {
      report: () =>
        stats.report({
          certificates: () => (tls === undefined ? [] : [certificateExpiry(tls.certificates.certificate)]),
          tokens: () => options.tokens?.() ?? [],
          ...measured,
        }),
      acknowledged: () => stats.reportReceived(),
    },
    clock,
    log,
    metrics,
  });
  self.beatNow = () => heartbeats.beatNow();
  return heartbeats;
}

/** Before the listeners stop, so that other agents send clients elsewhere. */
async function leave({ options, stop }: Needs, heartbeats: Heartbeats): Promise<void> {
  heartbeats.stop();
  // If the call fails, missing heartbeats have the same effect.
  await stop.briefly(options.cluster.leave(options.agentId).catch(() => undefined));
}

interface MeasuringNeeds extends AgentContext {
  readonly readiness: Readiness;
  readonly damage: DamageRegistry;
  readonly health: WriteHealth;
  readonly clients: ConnectedClients;
  readonly view: ClusterView;
  readonly managedWrites: ManagedWrites;
}

/** Reports of the agent to its cluster. */
export const heartbeats = {
  name: 'heartbeats',
  start(context: MeasuringNeeds) {
    const { options, damage, health, clients } = context;
    const ofAgent = heartbeatsOf(context, {
      damagedFiles: () => damage.report(),
      writeProblem: () => health.problem(),
      bucketProblem: () => options.buckets?.problem,
      namedBucket: () => options.buckets?.tried,
      connected: () => clients.report(),
    });
    options.buckets?.onTried(() => ofAgent.reportNow());
    const { agentId, cluster: port, clock, log } = options;
    const { view, managedWrites: writes } = context;
    const confirmations = new Confirmations({ agentId, view, port, writes, clock, log });
    confirmations.start();
    return started({ heartbeats: ofAgent }, async () => {
      // What is passed on without confirmations ends with the listeners, before the cluster forgets the agent.
      confirmations.stop();
      await leave(context, ofAgent);
    });
  },
};

/** The same for an agent that serves no records. */
export const registryHeartbeats = {
  name: 'heartbeats',
  start(context: Needs) {
    const ofAgent = heartbeatsOf(context, {});
    return started({ heartbeats: ofAgent }, () => leave(context, ofAgent));
  },
};

/** Waits until the cluster knows the agent. */
export const firstHeartbeat = {
  name: 'first heartbeat',
  async start({
    options,
    heartbeats: ofAgent,
  }: CommonContext<'givenUp'> & { readonly heartbeats: Heartbeats }) {
    await unlessGivenUp(ofAgent.start(), () => ofAgent.stop(), options.givenUp);
    return started({});
  },
};
