import { componentOf } from '../../component/component-spec.ts';
import { children, int, oneOf } from '../../component/field-types.ts';
import type { Output } from '../../component/instances.ts';
import { BatchPolicy, batching, gathers } from '../../engine/batch-policy.ts';
import { GatheringOutput } from '../../engine/gathering-output.ts';
import { pipelineLimits } from '../../limits.ts';
import { ChildOutputs } from '../child-outputs.ts';
import { endlessRetry, RetryOutput } from '../retry.ts';
import { FanOut, FanOutInTurn } from './fan-out.ts';
import { Greedy, RoundRobin } from './one-of-many.ts';

const patterns = {
  fan_out: { make: (outputs: ChildOutputs) => new FanOut(outputs), retries: true },
  fan_out_fail_fast: { make: (outputs: ChildOutputs) => new FanOut(outputs), retries: false },
  fan_out_sequential: { make: (outputs: ChildOutputs) => new FanOutInTurn(outputs), retries: true },
  fan_out_sequential_fail_fast: {
    make: (outputs: ChildOutputs) => new FanOutInTurn(outputs),
    retries: false,
  },
  round_robin: { make: (outputs: ChildOutputs) => new RoundRobin(outputs), retries: false },
  greedy: { make: (outputs: ChildOutputs) => new Greedy(outputs), retries: false },
};
type Pattern = keyof typeof patterns;

export const broker = componentOf('output', {
  name: 'broker',
  connectionsCountedBy: 'its children',
  about: 'Writes to several outputs: to all of them, or to one of them for each batch.',
  fields: {
    copies: int('How many times each output is opened.')
      .or(1)
      .advanced()
      .check((copies) =>
        copies >= 1 && copies <= pipelineLimits.copiesMax
          ? undefined
          : `has to be from 1 to ${pipelineLimits.copiesMax}`,
      ),
    pattern: oneOf(
      'Which outputs get a batch: `fan_out` all at the same time, `fan_out_sequential` all one after the other; these write again what failed, and with `_fail_fast` they do not. `round_robin` one after the other in turn, `greedy` one that can take it.',
      Object.keys(patterns) as Pattern[],
    ).or('fan_out'),
    outputs: children('output', 'Where messages are written to.').check((outputs) =>
      outputs.length === 0 ? 'has to have an output' : undefined,
    ),
    batching,
  },
  async open({ copies, pattern, outputs, batching: policy }, context) {
    const { make, retries } = patterns[pattern];
    const configs = Array.from({ length: copies }, () => outputs).flat();
    const { all } = await ChildOutputs.open(configs, context);
    const children = new ChildOutputs(
      retries ? all.map((output) => new RetryOutput(output, endlessRetry, context)) : all,
    );
    const brokered: Output = all.length === 1 ? children.all[0]! : make(children);
    return gathers(policy)
      ? new GatheringOutput(brokered, await BatchPolicy.open(policy, context), context)
      : brokered;
  },
});
