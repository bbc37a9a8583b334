import type { Address, ClientTls, SaslLogin } from '@weir/client';
import { KafkaCluster } from '@weir/client';
import { backOffMs, type Clock, type Log } from '@weir/core';
import type { DemoLogin } from './set-up.ts';

/** How clients of the demo reach the cluster. */
export interface DemoConnection {
  readonly bootstrap: Address;
  readonly tls: ClientTls | undefined;
  readonly mechanism: 'PLAIN' | 'SCRAM-SHA-512';
  readonly clock: Clock;
  readonly log: Log;
  readonly stop: AbortSignal;
}

interface DemoClientOptions {
  /** The client id, which lists of clients and events show. */
  readonly clientId: string;
  readonly login: DemoLogin;
  /** A write that takes longer is given up. */
  readonly timeoutMs?: number;
}

const usualTimeoutMs = 30_000;
const restartBackOff = { firstMs: 200, maxMs: 10_000 };
/** A client that ran for this long starts anew without a pause. */
const stableMsMin = 30_000;

/**
 * Runs one client until the demo stops, over connections of its own. A client that fails, as when the cluster is
 * overloaded, starts anew: a demo may run for days.
 */
export async function runDemoClient(
  connection: DemoConnection,
  { clientId, login, timeoutMs = usualTimeoutMs }: DemoClientOptions,
  work: (cluster: KafkaCluster) => Promise<void>,
): Promise<void> {
  const { bootstrap, tls, mechanism, clock, log, stop } = connection;
  const saslLogin: SaslLogin = { mechanism, ...login };
  for (let failures = 0; !stop.aborted; failures++) {
    const startedMs = clock.monotonicMs();
    const cluster = new KafkaCluster({
      bootstrap: [bootstrap],
      tls,
      login: saslLogin,
      clientId,
      timeoutMs,
      clock,
      stop,
    });
    try {
      await work(cluster);
      return;
    } catch (error) {
      if (stop.aborted) return;
      log.info('failed to run demo client, restarting it', { clientId, error: (error as Error).message });
      if (clock.monotonicMs() - startedMs >= stableMsMin) failures = 0;
      await cluster.pause(backOffMs(failures, restartBackOff));
    } finally {
      await cluster.close();
    }
  }
}
