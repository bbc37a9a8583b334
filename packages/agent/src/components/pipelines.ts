import { JobRunner, jobMetrics, pipelineInstances } from '@weir/jobs';
import type { PipelineLogins } from '@weir/security';
import type { AgentContext } from '../agent-context.ts';
import { started } from '../component.ts';
import { emitPipelineLine } from '../events/pipeline-lines.ts';
import { agentLimits } from '../limits.ts';
import { inUrl } from '../start-and-stop.ts';
import { pipelineBytesPerSecond } from './pipeline-rate.ts';

interface Needs extends AgentContext {
  readonly kafkaPort: number;
  /** Of a listener of their own, if that of clients does not admit them. */
  readonly pipelineAddress: string | undefined;
  readonly pipelineLogins: PipelineLogins;
}

/** Managed pipelines, on agents with their role. They stop before the listeners that they use. */
export const pipelines = {
  name: 'pipelines',
  start({ options, stop, tenantAccess, events, kafkaPort, pipelineAddress, pipelineLogins }: Needs) {
    const { roles, cluster: port, agentId, cpuCount, clock, log, metrics, tls, sasl } = options;
    if (!roles.includes('pipelines')) return started({});
    const kind = pipelineInstances({
      tenantAccess,
      bytesPerSecond: pipelineBytesPerSecond(options),
      ownCluster(pipelineId) {
        const login = () => pipelineLogins.issue(pipelineId, agentId);
        if (pipelineAddress !== undefined)
          return { brokers: [pipelineAddress], isOneAddress: true, ...login() };
        return {
          brokers: [`${inUrl(options.advertisedHost)}:${kafkaPort}`],
          ...(tls?.kafka && { usesTls: true, trustedCertificates: tls.certificates.trusted }),
          ...(sasl?.passwordMechanisms.includes('PLAIN') ? login() : {}),
        };
      },
      onLine: (line) => emitPipelineLine(events, line),
      clock,
      metrics,
    });
    const runner = new JobRunner({
      port,
      agentId,
      runner: 'pipelines',
      kinds: [kind],
      slots: Math.max(agentLimits.pipelinesMin, cpuCount * agentLimits.pipelinesPerCpu),
      clock,
      log,
      // Its instances have metrics of their own; these are about jobs that end.
      metrics: { ...jobMetrics(metrics), running() {} },
    });
    runner.start();
    return started({}, async () => {
      await stop.within(runner.stop());
      kind.end();
    });
  },
};
