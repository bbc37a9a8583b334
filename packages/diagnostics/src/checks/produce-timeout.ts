import { defineCheck } from '../check.ts';
import { counted, duration } from '../number-texts.ts';

const produceTimeoutMsMin = 5000;

export const produceTimeout = defineCheck({
  name: 'produce_timeout_too_low',
  type: 'clients',
  source: 'agent',
  severity: 'high',
  title: 'Producers give up too early',
  observes: `The time that clients give their writes, against ${duration(produceTimeoutMsMin)}.`,
  explanation:
    'A write is answered when its file is in the bucket, which takes longer than a write to a local disk. A client that gives up earlier sends the same records again while the first ones are still being written: more load, and duplicates unless the producer is idempotent.',
  fix: `Set request.timeout.ms of the producer to 30 seconds or more, never below ${duration(produceTimeoutMsMin)}, and leave idempotence on.`,
  run({ produce }) {
    if (produce === undefined) return { missing: 'timeouts of producers' };
    return produce.clientTimeouts
      .filter(({ timeoutMs }) => timeoutMs < produceTimeoutMsMin)
      .map(({ clientId, timeoutMs, requestCount }) => ({
        entity: { kind: 'client', name: clientId },
        message: `${clientId} gives a write ${duration(timeoutMs)}; it made ${counted(requestCount, 'request')} since the last look.`,
        weight: requestCount,
      }));
  },
});
