import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { jsonLog, type Log, release } from '@weir/core';
import type { Deps } from '../deps.ts';
import type { CommandValues } from '../flags/catalogue.ts';
import type { Handler } from '../handler.ts';
import { portOf, processCount } from '../rules/processes.ts';
import { inUrl } from './bind-address.ts';
import { launcher } from './processes/launch.ts';
import type { ReadyPorts } from './processes/messages.ts';

import { Supervisor } from './processes/supervisor.ts';
import { runAgent } from './run-agent.ts';
import { untilStopped } from './until-stopped.ts';

/** Time for a process to exit after its last client was served. */
const lastWordsMs = 5_000;

/** Runs one agent in this process, or supervises several in child processes. */
export const agent: Handler<'agent'> = async (values, deps) => {
  const { clock, output } = deps;
  const log = jsonLog({
    level: values.logLevel,
    nowMs: clock.nowMs,
    write: (line) => output.err(`${line}\n`),
  });
  const count = processCount(values.processes);
  await (count === 1 ? alone(values, deps, log) : together(values, count, deps, log));
  return 0;
};

async function alone(
  values: CommandValues<'agent'>,
  { clock, environment, output, stop }: Deps,
  log: Log,
): Promise<void> {
  const agentId = randomUUID();
  await runAgent({
    values,
    agentId,
    cpuCount: availableParallelism(),
    onReady: (ports) =>
      output.out(
        [
          `weir ${release} agent ${agentId} is ready`,
          ...addresses(ports, values).map((line) => `  ${line}`),
          '',
        ].join('\n'),
      ),
    stopDeadlineMs: () => values.gracefulShutdownDuration,
    stop,
    clock,
    environment,
    log: log.with({ agentId }),
  });
}

async function together(
  values: CommandValues<'agent'>,
  count: number,
  { clock, output, stop }: Deps,
  log: Log,
): Promise<void> {
  const supervisor = new Supervisor({
    places: Array.from({ length: count }, (_, index) => ({
      number: index + 1,
      agentId: randomUUID(),
      kafkaPort: portOf(values.kafkaPort, index),
      registryPort: portOf(values.schemaRegistryPort, index),
      tablesPort: portOf(values.tableflowInternalHTTPPort, index),
      httpPort: portOf(values.httpPort, index),
    })),
    launch: launcher(values, { log, count, writeLine: (line) => output.err(`${line}\n`) }),
    onReady: (processes) =>
      output.out(
        [
          `weir ${release} agent is ready with ${count} processes`,
          ...processes.flatMap((ready) => [
            `  process ${ready.number}, pid ${ready.pid}, agent ${ready.agentId}`,
            ...addresses(ready, values).map((line) => `    ${line}`),
          ]),
          '',
        ].join('\n'),
      ),
    stopDeadlineMs: values.gracefulShutdownDuration + lastWordsMs,
    clock,
    log,
  });
  void untilStopped(stop).then(() => supervisor.stop());
  await supervisor.run();
}

function addresses(
  { host, kafkaPort, registryPort, tablesPort, httpPort }: ReadyPorts,
  { httpTLS, schemaRegistryTLSEnabled }: CommandValues<'agent'>,
): readonly string[] {
  const at = inUrl(host);
  const url = (isSecure: boolean, port: number) => `${isSecure ? 'https' : 'http'}://${at}:${port}`;
  if (registryPort !== undefined)
    return [
      `registry  ${url(schemaRegistryTLSEnabled, registryPort)}`,
      `HTTP      ${url(httpTLS, httpPort)}`,
    ];
  if (tablesPort !== undefined)
    return [`tables  ${url(httpTLS, tablesPort)}/v1/tables`, `HTTP    ${url(httpTLS, httpPort)}`];
  return [`Kafka  ${at}:${kafkaPort}`, `HTTP   ${url(httpTLS, httpPort)}`];
}
