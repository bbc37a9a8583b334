import {
  type ClusterOptions,
  ConnectionFailed,
  type KafkaCluster,
  KafkaRequestFailed,
  OutcomeUnknown,
  withCluster,
} from '@weir/client';
import { Failure, Metrics, release, silentLog } from '@weir/core';
import { metricsRoutes, startHttpListener } from '@weir/http';
import type { Deps } from '../../deps.ts';
import type { FlagValues } from '../../flags/catalogue.ts';
import { stoppedStatus } from '../../handler.ts';
import { escapeControls } from '../../problem.ts';
import { Progress } from '../../results/progress.ts';
import { printResult } from '../../results/results.ts';
import { inUrl, loopback, onlyAddress } from '../../servers/bind-address.ts';
import { explainingStart } from '../../servers/explaining-start.ts';
import { type ConnectionValues, clusterOptions } from '../connection.ts';
import { Meter } from './meter.ts';
import { tallyJson, tallyLine, tallyTable } from './report.ts';

type BenchmarkValues = ConnectionValues &
  Pick<FlagValues, 'num-clients' | 'num-records' | 'metrics-port' | 'bindAddress' | 'output'>;

/** The input of one client of a benchmark. */
export interface BenchmarkClient {
  /** Counted from 0. */
  readonly index: number;
  /** Its own connections, which are closed when the benchmark ends. */
  readonly cluster: KafkaCluster;
  /** Options for further connections. */
  readonly options: ClusterOptions;
  readonly meter: Meter;
  /** Ends the benchmark for all clients. */
  finish(): void;
}

export interface Benchmark {
  /** `weir cli benchmark-producer`. */
  readonly speaker: string;
  /** The names of the latencies that clients observe. */
  readonly latencyNames: readonly string[];
  /** Runs until there is nothing left to do or `cluster.stop` is aborted. */
  runClient(client: BenchmarkClient): Promise<void>;
}

const reportEveryMs = 1_000;

/**
 * Runs the clients concurrently and reports every second, on a terminal as one line that is overwritten. Transient
 * failures are counted and reported; a permanent one ends the benchmark.
 */
export async function runBenchmark(
  { speaker, latencyNames, runClient }: Benchmark,
  values: BenchmarkValues,
  deps: Deps,
): Promise<number> {
  const { clock, output, stop } = deps;
  const base = await clusterOptions(values, deps);
  const metrics = new Metrics({ release });
  const port = values['metrics-port'];
  const host = values.bindAddress ?? loopback;
  const listener = await explainingStart({ 'metrics-port': port }, () =>
    startHttpListener({
      ...{ host, port, clock, metrics },
      routes: metricsRoutes(metrics, clock),
      log: silentLog,
    }),
  );
  const only = onlyAddress(host);
  const shownHost = only === undefined || only === loopback ? 'localhost' : inUrl(only);
  if (values.output === 'table') output.out(`metrics at http://${shownHost}:${listener.port}/metrics\n`);
  const meter = new Meter(clock, metrics, latencyNames);
  const progress = new Progress(values, deps);
  const ended = new AbortController();
  const finish = () => ended.abort();

  let seconds = 0;
  let cancelReport = clock.after(reportEveryMs, report);
  function report(): void {
    seconds++;
    cancelReport = clock.after(reportEveryMs, report);
    const tally = meter.turn();
    const line = tallyLine(seconds, tally);
    const wanted = values['num-records'];
    const total = wanted < 0 ? undefined : wanted;
    if (progress.isShown) progress.show({ done: meter.records, total, unit: 'records', detail: line });
    else
      printResult(values, deps, {
        json: tallyJson('interval', tally, meter.lastFailure),
        text: () => `${line}\n`,
      });
  }

  const runOne = async (index: number): Promise<void> => {
    // A separate signal per client, because each of its connections adds a listener to it.
    const options = { ...base, stop: AbortSignal.any([stop, ended.signal]) };
    try {
      await withCluster(options, (cluster) => runClient({ index, cluster, options, meter, finish }));
    } catch (error) {
      const isOver = options.stop.aborted && error instanceof Failure;
      finish();
      if (!isOver) throw error;
    }
  };
  try {
    const clients = Array.from({ length: values['num-clients'] }, (_, index) => runOne(index));
    // All clients have to end before the first failure is reported.
    const failed = (await Promise.allSettled(clients)).find(({ status }) => status === 'rejected');
    if (failed !== undefined) throw (failed as PromiseRejectedResult).reason;
  } finally {
    cancelReport();
    await listener.close();
    progress.clear();
    const total = meter.total();
    printResult(values, deps, {
      json: tallyJson('total', total, meter.lastFailure),
      text: () => tallyTable(total),
    });
  }
  const { failures } = meter.total();
  if (failures > 0) {
    output.err(
      `${speaker}: ${failures} requests failed; the last: ${escapeControls(meter.lastFailure ?? '')}\n`,
    );
  }
  if (stop.aborted) return stoppedStatus;
  return failures === 0 ? 0 : 1;
}

/** Whether a benchmark continues after a failure, because the next request may succeed. */
export function mayPass(failure: unknown): failure is Failure {
  if (failure instanceof KafkaRequestFailed) return failure.transient;
  return failure instanceof ConnectionFailed || failure instanceof OutcomeUnknown;
}
