import { defineCheck } from '../check.ts';
import { counted, duration } from '../number-texts.ts';

const produceTimeoutMsMin = 5000;

export const produceTimeout = defineCheck({
  name: 'produce_timeout_too_low',
  type: 'clients',
  source: 'agent',
  severity: 'high',
  title: 'Produce timeout too low',
  observes: `The timeout of produce requests, by client id, against ${duration(produceTimeoutMsMin)}.`,
  explanation:
    'A produce request is acknowledged when its file is in the bucket, which takes longer than a write to a local disk. A client that times out earlier retries while the first request is still in progress: more load, and duplicates unless the producer is idempotent.',
  fix: `Set request.timeout.ms of the producer to 30 seconds or more, never below ${duration(produceTimeoutMsMin)}, and keep enable.idempotence=true.`,
  run({ produce }) {
    if (produce === undefined) return { missing: 'produce timeouts' };
    return produce.clientTimeouts
      .filter(({ timeoutMs }) => timeoutMs < produceTimeoutMsMin)
      .map(({ clientId, timeoutMs, requestCount }) => ({
        entity: { kind: 'client', name: clientId },
        message: `Client ${clientId} has request.timeout.ms=${timeoutMs}, below the minimum of ${duration(produceTimeoutMsMin)}; ${counted(requestCount, 'request')} since the last run.`,
        weight: requestCount,
      }));
  },
});
