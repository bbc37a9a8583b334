/**
 * Tries every broker of a cluster by itself. The bootstrap broker may well be reachable while the addresses that the cluster
 * gives its clients are not, which is the commonest reason why a client that connects then hangs.
 */

import type { Handler } from '../commands/handler.ts';
import { Failure } from '../failure.ts';
import type { FlagValues } from '../flags/catalogue.ts';
import { escapeControls } from '../flags/problem.ts';
import { type Address, printAddress } from '../kafka/address.ts';
import { type Broker, type KafkaCluster, withCluster } from '../kafka/cluster.ts';
import { ConnectionFailed } from '../kafka/connection-failed.ts';
import { findCoordinator } from '../kafka/coordinator.ts';
import type { Surroundings } from '../surroundings.ts';
import { type ConnectionValues, clusterOptions } from './connection.ts';
import { jsonLine } from './record-text.ts';

export const diagnoseConnectionTool: Handler<'cli diagnose-connection'> = (values, surroundings) =>
  diagnoseConnection(values, surroundings);

export async function diagnoseConnection(
  values: ConnectionValues & Pick<FlagValues, 'output'>,
  surroundings: Surroundings,
): Promise<number> {
  const options = await clusterOptions(values, surroundings);
  const diagnosis = await withCluster(options, (cluster) => diagnose(cluster, options.bootstrap));
  surroundings.output.out(values.output === 'json' ? jsonLine(diagnosis) : diagnosisText(diagnosis));
  return problemsOf(diagnosis).length === 0 ? 0 : 1;
}

/** How one address answered. */
interface Visit extends Address {
  readonly accessible: boolean;
  /** What happened, when it is not accessible. */
  readonly problem: string | null;
  readonly advice: string | null;
}

interface BrokerVisit extends Visit, Broker {}

interface Diagnosis {
  readonly bootstrap: Visit;
  readonly clusterId: string | null;
  readonly brokers: readonly BrokerVisit[];
  readonly coordinator: BrokerVisit | null;
  /** What went wrong that belongs to no single address. */
  readonly problems: readonly string[];
}

/** How many brokers are tried at the same time. */
const visitsAtOnce = 16;

/** A consumer group that needs not exist: who would coordinate it is decided by its name. */
const probeGroup = 'weir-diagnose-connection';

async function diagnose(cluster: KafkaCluster, address: Address): Promise<Diagnosis> {
  const bootstrap = await visit(cluster, address);
  const nothing = { bootstrap, clusterId: null, brokers: [], coordinator: null };
  if (!bootstrap.accessible) return { ...nothing, problems: [] };
  try {
    const metadata = await cluster.retrying(() => cluster.metadata([]));
    const known = metadata.brokers.toSorted((a, b) => a.nodeId - b.nodeId);
    if (known.length === 0) return { ...nothing, problems: ['the cluster names no broker at all'] };
    const brokers: BrokerVisit[] = [];
    for (let at = 0; at < known.length; at += visitsAtOnce) {
      brokers.push(
        ...(await Promise.all(
          known.slice(at, at + visitsAtOnce).map(async (broker) => ({
            ...(await visit(cluster, broker)),
            nodeId: broker.nodeId,
            rack: broker.rack,
          })),
        )),
      );
    }
    const found = { bootstrap, clusterId: metadata.clusterId, brokers };
    try {
      const coordinator = await cluster.retrying(() => findCoordinator(cluster, probeGroup));
      const tried = brokers.find(({ nodeId }) => nodeId === coordinator.nodeId);
      const visited = tried ?? { ...coordinator, rack: null, ...(await visit(cluster, coordinator)) };
      return { ...found, coordinator: visited, problems: [] };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return { ...found, coordinator: null, problems: [error.message] };
    }
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { ...nothing, problems: [error.message] };
  }
}

async function visit(cluster: KafkaCluster, { host, port }: Address): Promise<Visit> {
  try {
    await cluster.connectionTo({ host, port });
    return { host, port, accessible: true, problem: null, advice: null };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const [problem, advice] =
      error instanceof ConnectionFailed ? [error.what, error.advice] : [error.message, null];
    return { host, port, accessible: false, problem, advice };
  }
}

/** Every sentence that the user has to read, each once. */
function problemsOf({ bootstrap, brokers, coordinator, problems }: Diagnosis): readonly string[] {
  const visits = [bootstrap, ...brokers, ...(coordinator === null ? [] : [coordinator])];
  const sentences = visits
    .filter(({ accessible }) => !accessible)
    .map((tried) => [`${printAddress(tried)}: ${tried.problem}`, tried.advice].filter(Boolean).join('; '));
  return [...new Set([...sentences, ...problems])];
}

function diagnosisText(diagnosis: Diagnosis): string {
  const { bootstrap, brokers, coordinator } = diagnosis;
  const problems = problemsOf(diagnosis);
  const sections = [
    ['Bootstrap', ...aligned([[printAddress(bootstrap), mark(bootstrap)]])],
    ...(brokers.length === 0 ? [] : [['Brokers', ...aligned(brokers.map(brokerCells))]]),
    ...(coordinator === null ? [] : [['Group coordinator', ...aligned([brokerCells(coordinator)])]]),
    ...(problems.length === 0 ? [] : [['What is wrong', ...problems.map((problem) => `  ${problem}`)]]),
  ];
  return `${sections.map((lines) => lines.map(escapeControls).join('\n')).join('\n')}\n`;
}

function brokerCells(broker: BrokerVisit): readonly string[] {
  return [printAddress(broker), `node ${broker.nodeId}`, `[${broker.rack ?? 'no rack'}]`, mark(broker)];
}

function mark({ accessible, problem }: Visit): string {
  return accessible ? 'ACCESSIBLE' : `NOT ACCESSIBLE: ${problem}`;
}

function aligned(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = rows[0]!.map((_, index) => Math.max(...rows.map((row) => row[index]!.length)));
  return rows.map((row) => `  ${row.map((cell, index) => cell.padEnd(widths[index]!)).join('  ')}`.trimEnd());
}
