import { hostname } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { pauseUnlessStopped, systemClock, systemRandom } from '@weir/core';
import { catalogue } from '../catalogue.ts';
import type { PipelineServices } from '../component/component-context.ts';
import { reasonOf } from '../component/failures.ts';
import { listedAccess } from '../component/outbound-access.ts';
import { readConfiguration } from '../config/read-configuration.ts';
import { Stream } from '../engine/stream.ts';
import { Beats } from './beats.ts';
import { ByteAllowance } from './byte-allowance.ts';
import { CountedMetrics } from './counted-metrics.ts';
import { Redaction } from './redaction.ts';
import { boundedLog } from './thread-log.ts';
import type { FromThread, ThreadStart, ToThread } from './thread-messages.ts';

/** The thread of one instance of a pipeline; `runInThread` is its owner. */

const start = workerData as ThreadStart;
const port = parentPort!;
const post = (message: FromThread) => port.postMessage(message);
const stop = new AbortController();
const counts = new CountedMetrics(() => beats.busy());
const allowance = new ByteAllowance((bytes) => post({ kind: 'take', bytes }));
const redaction = new Redaction();
redaction.hide(Object.values(start.secrets));
const log = boundedLog(systemClock, (line) => post({ kind: 'log', ...line }), redaction.of);

port.on('message', (message: ToThread) => {
  if (message.kind === 'stop') stop.abort();
  else allowance.grant();
});

const beats = new Beats(systemClock, counts, post);
beats.begin();

const { variables, secrets } = start;
const variable = (name: string) => (Object.hasOwn(variables, name) ? variables[name] : undefined);

const services: PipelineServices = {
  clock: systemClock,
  random: systemRandom,
  log,
  metrics: counts,
  mappingPorts: {
    clock: systemClock,
    random: systemRandom,
    hostName: hostname(),
    environment: variable,
    counters: new Map(),
  },
  outbound: listedAccess(start.allowedHosts),
  ownCluster: start.ownCluster,
  secret: (name) => (Object.hasOwn(secrets, name) ? secrets[name] : undefined),
  admit: (bytes, signal) => allowance.take(bytes, signal),
};

/** Runs the configuration, again and again if it says so. Returns why it cannot. */
async function run(): Promise<string | undefined> {
  const references = { variable, secrets };
  const {
    config,
    problems,
    warnings,
    secrets: planted,
  } = readConfiguration(start.yaml, {
    catalogue,
    isLocal: false,
    references,
  });
  redaction.hide(planted);
  const [first] = problems;
  if (config === undefined)
    return first === undefined
      ? 'the configuration cannot be read'
      : `line ${first.place.line}, column ${first.place.column}: ${first.message}`;
  for (const { place, message } of warnings)
    log.warn('found something inadvisable', { line: place.line, warning: message, stage: 'configuration' });
  const everyMs = config.service.scheduling.run_every;
  for (;;) {
    await new Stream(config, services, catalogue).run(stop.signal);
    if (everyMs === undefined || stop.signal.aborted) return undefined;
    await pauseUnlessStopped(systemClock, everyMs, stop.signal);
    if (stop.signal.aborted) return undefined;
  }
}

run().then(
  (problem) => end(problem === undefined ? {} : { problem, needsOperator: true }),
  (error) => end({ problem: reasonOf(error) }),
);

function end(outcome: { readonly problem?: string; readonly needsOperator?: boolean }): void {
  beats.end();
  const { problem } = outcome;
  post({ kind: 'ended', ...outcome, ...(problem === undefined ? {} : { problem: redaction.of(problem) }) });
  port.close();
}
