import type { MetricRow, Metrics } from '@weir/core';
import { type Apis, errors, type ResponseOf } from '@weir/wire';
import type { HandlerOf } from './handler.ts';

export const outcomeRow: MetricRow<'outcome'> = {
  name: 'agent_produce_outcome',
  kind: 'counter',
  help: 'Produce requests, by whether every partition took its batch.',
  labels: ['outcome'],
};

type Answer = ResponseOf<Apis['Produce']> | 'noReply' | 'close';

/** Counts what becomes of Produce requests. One without an answer has failed when it costs its connection. */
export function countingOutcomes(
  handler: HandlerOf<Apis['Produce']>,
  metrics: Metrics,
): HandlerOf<Apis['Produce']> {
  const taken = metrics.series(outcomeRow, { outcome: 'success' });
  const failed = metrics.series(outcomeRow, { outcome: 'error' });

  function counted(answer: Answer): Answer {
    (isTaken(answer) ? taken : failed).add(1);
    return answer;
  }

  return (request, context) => {
    const answer = handler(request, context);
    return answer instanceof Promise ? answer.then(counted) : counted(answer);
  };
}

function isTaken(answer: Answer): boolean {
  if (typeof answer === 'string') return answer === 'noReply';
  return answer.responses.every(({ partitionResponses }) =>
    partitionResponses.every(({ errorCode }) => errorCode === errors.NONE.code),
  );
}
