import type { Address } from '@weir/client';
import {
  type Broker,
  type ClusterMetadata,
  type ClusterOptions,
  ConnectionFailed,
  findCoordinator,
  type KafkaCluster,
  KafkaConnection,
  KafkaRequestFailed,
  withCluster,
} from '@weir/client';
import { Failure } from '@weir/core';
import { errors } from '@weir/wire';
import { clusterAccess, topicAccess } from './access.ts';
import { type Attempt, connectToAll, resolveName } from './connectivity.ts';
import { encryptionTrouble, shakeHands } from './encryption.ts';
import { enabledMechanisms, logIn, loginWanted } from './login.ts';
import { explained, failed, note, ok, type Step, skipped } from './step.ts';

/** The result of one broker, at the address that the cluster advertises. */
export interface BrokerVisit extends Broker {
  readonly accessible: boolean;
  /** What happened, if it is not accessible. */
  readonly problem: string | null;
  readonly advice: string | null;
}

export interface Diagnosis {
  readonly bootstrap: Address;
  readonly steps: readonly Step[];
  readonly clusterId: string | null;
  readonly brokers: readonly BrokerVisit[];
  readonly coordinator: BrokerVisit | null;
}

interface DiagnosisOptions extends ClusterOptions {
  /** The only address: another one would hide what is wrong with it. */
  readonly bootstrap: readonly [Address];
  /** A topic to check. */
  readonly topic: string | undefined;
  /** A group whose coordinator to look up. */
  readonly group: string | undefined;
}

/** Timeout of one attempt; there are several. */
const attemptTimeoutMaxMs = 10_000;

/** How many brokers are tried concurrently. */
const visitsAtOnce = 16;

/** A group that need not exist: its name determines the coordinator. */
const probeGroup = 'weir-diagnose-connection';

/**
 * Does what a client does, step by step, and stops at the first failure that prevents further steps. The bootstrap
 * broker may be reachable while the advertised addresses are not, which is the most common reason why a client connects
 * and then hangs; so every broker is tried.
 */
export async function diagnose(options: DiagnosisOptions): Promise<Diagnosis> {
  const [bootstrap] = options.bootstrap;
  const steps: Step[] = [];
  const nothing = { bootstrap, steps, clusterId: null, brokers: [], coordinator: null };
  await reachBroker(options, steps);
  if (hasFailed(steps)) return nothing;
  return withCluster(options, async (cluster) => {
    const metadata = await learnBrokers(cluster, options, steps);
    if (metadata === undefined) return nothing;
    const brokers = await visitAll(cluster, metadata.brokers);
    steps.push(visitsInWords(brokers));
    steps.push(await clusterAccess(cluster));
    if (options.topic !== undefined) steps.push(await topicAccess(cluster, options.topic));
    const coordinator = await visitCoordinator(cluster, options.group, brokers, steps);
    return { bootstrap, steps, clusterId: metadata.clusterId, brokers, coordinator };
  });
}

function hasFailed(steps: readonly Step[]): boolean {
  return steps.some(({ outcome }) => outcome === 'failed');
}

function attemptOf({ clock, stop, timeoutMs }: ClusterOptions): Attempt {
  return { clock, stop, timeoutMs: Math.min(timeoutMs, attemptTimeoutMaxMs) };
}

/** From the name to the first answer in the Kafka protocol. */
async function reachBroker(options: DiagnosisOptions, steps: Step[]): Promise<void> {
  const {
    bootstrap: [address],
    tls,
    clientId,
  } = options;
  const attempt = attemptOf(options);
  const { step, addresses } = await resolveName(address, attempt);
  steps.push(step);
  if (hasFailed(steps)) return;
  steps.push(await connectToAll(addresses, attempt));
  if (hasFailed(steps)) return;
  const handshake = await shakeHands(address, tls, attempt);
  if (handshake.outcome === 'failed') {
    steps.push(handshake);
    return;
  }
  try {
    const connection = await KafkaConnection.open({ ...attempt, address, tls, clientId });
    steps.push(handshake, ok('ApiVersions', `${connection.offeredCount} APIs`));
    connection.close();
  } catch (error) {
    const trouble = await encryptionTrouble(error, address, tls, attempt);
    const { detail, advice } = explained(error);
    if (trouble === undefined) steps.push(handshake, failed('ApiVersions', detail, advice));
    else steps.push(trouble);
  }
}

/** Logs in if requested, and asks for the brokers. A broker that requires a login closes anonymous connections. */
async function learnBrokers(
  cluster: KafkaCluster,
  options: DiagnosisOptions,
  steps: Step[],
): Promise<ClusterMetadata | undefined> {
  const isStranger = options.login === undefined;
  if (!isStranger) steps.push(await logIn(cluster, options));
  if (hasFailed(steps)) return undefined;
  try {
    const metadata = await patientMetadata(cluster, options, steps);
    if (metadata === undefined) return undefined;
    if (isStranger) steps.push(skipped('SASL', 'not required by the broker'));
    const { clusterId, brokers } = metadata;
    if (brokers.length === 0) {
      steps.push(failed('Metadata', 'the cluster lists no brokers', 'check that its brokers are running'));
      return undefined;
    }
    steps.push(ok('Metadata', `cluster ${clusterId ?? 'without an id'}, brokers: ${brokers.length}`));
    return metadata;
  } catch (error) {
    const { detail, advice } = explained(error);
    steps.push(failed('Metadata', detail, advice));
    return undefined;
  }
}

async function patientMetadata(
  cluster: KafkaCluster,
  options: DiagnosisOptions,
  steps: Step[],
): Promise<ClusterMetadata | undefined> {
  try {
    return await cluster.metadata([]);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (error instanceof ConnectionFailed && error.problem === 'login wanted') {
      const mechanisms = await enabledMechanisms(options, attemptOf(options));
      if (mechanisms !== undefined) {
        steps.push(loginWanted(mechanisms));
        return undefined;
      }
    }
    return cluster.retrying(() => cluster.metadata([]));
  }
}

async function visitAll(cluster: KafkaCluster, brokers: readonly Broker[]): Promise<readonly BrokerVisit[]> {
  const known = brokers.toSorted((a, b) => a.nodeId - b.nodeId);
  const visits: BrokerVisit[] = [];
  for (let at = 0; at < known.length; at += visitsAtOnce) {
    visits.push(
      ...(await Promise.all(known.slice(at, at + visitsAtOnce).map((broker) => visit(cluster, broker)))),
    );
  }
  return visits;
}

async function visit(cluster: KafkaCluster, { nodeId, host, port, rack }: Broker): Promise<BrokerVisit> {
  const broker = { nodeId, host, port, rack };
  try {
    await cluster.connectionTo({ host, port });
    return { ...broker, accessible: true, problem: null, advice: null };
  } catch (error) {
    const { detail, advice } = explained(error);
    return { ...broker, accessible: false, problem: detail, advice };
  }
}

function visitsInWords(visits: readonly BrokerVisit[]): Step {
  const reached = visits.filter(({ accessible }) => accessible).length;
  const summary = `${reached} of ${visits.length} reachable at their advertised addresses`;
  if (reached === visits.length) return ok('Brokers', summary);
  return failed(
    'Brokers',
    summary,
    'clients connect to the advertised addresses, not to the bootstrap address; see the brokers below',
  );
}

async function visitCoordinator(
  cluster: KafkaCluster,
  group: string | undefined,
  brokers: readonly BrokerVisit[],
  steps: Step[],
): Promise<BrokerVisit | null> {
  try {
    const found = await cluster.retrying(() => findCoordinator(cluster, group ?? probeGroup));
    const known = brokers.find(({ nodeId }) => nodeId === found.nodeId);
    const visited = known ?? (await visit(cluster, { ...found, rack: null }));
    steps.push(
      visited.accessible
        ? ok('Coordinator', `of ${group === undefined ? 'a group' : `group ${group}`}: node ${found.nodeId}`)
        : failed('Coordinator', `node ${found.nodeId}: ${visited.problem}`, visited.advice),
    );
    return visited;
  } catch (error) {
    steps.push(coordinatorTrouble(error, group));
    return null;
  }
}

/** A denial for the probe group says nothing about the client's own group. */
function coordinatorTrouble(error: unknown, group: string | undefined): Step {
  const { detail, advice } = explained(error);
  const isDenied =
    error instanceof KafkaRequestFailed && error.code === errors.GROUP_AUTHORIZATION_FAILED.code;
  if (!isDenied) return failed('Coordinator', detail, advice);
  if (group === undefined) {
    return note('Coordinator', detail, 'set a group that the client may read with -group');
  }
  return failed('Coordinator', detail, `weir cli create-acls -resource-type GROUP -resource-name ${group}`);
}
