import { type Mapping, MappingFailure } from '@weir/bloblang';
import type { ComponentContext } from '../component/component-context.ts';
import { componentOf } from '../component/component-spec.ts';
import { reasonOf } from '../component/failures.ts';
import { object } from '../component/field.ts';
import { bool, child, list, mapping } from '../component/field-types.ts';
import type { FlushWhen, Output } from '../component/instances.ts';
import type { Batch, Message } from '../component/message.ts';
import { Outcomes, withOrigins } from '../engine/outcomes.ts';
import { ChildOutputs } from './child-outputs.ts';
import { endlessRetry, RetryOutput } from './retry.ts';

interface Case {
  readonly check: Mapping | undefined;
  readonly continue: boolean;
}

/** Writes each message to the output of the first case whose check is true for it. */
class Switch implements Output {
  readonly #cases: readonly Case[];
  readonly #outputs: ChildOutputs;
  readonly #isStrict: boolean;
  readonly #context: ComponentContext;

  constructor(cases: readonly Case[], outputs: ChildOutputs, isStrict: boolean, context: ComponentContext) {
    this.#cases = cases;
    this.#outputs = outputs;
    this.#isStrict = isStrict;
    this.#context = context;
  }

  ready(): Promise<void> | undefined {
    return this.#outputs.ready();
  }

  async write(given: Batch, stop: AbortSignal): Promise<void> {
    const batch = withOrigins(given);
    const parts = this.#parts(batch);
    const outcomes = new Outcomes(batch.length);
    await Promise.all(
      parts.map((part, at) =>
        part.length === 0
          ? undefined
          : this.#outputs.all[at]!.write(part, stop).then(
              () => outcomes.written(part),
              (error: Error) => outcomes.failed(part, error),
            ),
      ),
    );
    // Messages of no case were dropped, which is as good as written.
    const taken = new Set(parts.flat());
    outcomes.written(batch.filter((message) => !taken.has(message)));
    outcomes.throwFailure();
  }

  /** The messages for each case. */
  #parts(batch: Batch): readonly Batch[] {
    const parts: Message[][] = this.#cases.map(() => []);
    for (const [index, message] of batch.entries()) {
      let isTaken = false;
      for (const [at, one] of this.#cases.entries()) {
        if (!this.#isTrue(one.check, batch, index)) continue;
        isTaken = true;
        parts[at]!.push(message);
        if (!one.continue) break;
      }
      if (!isTaken && this.#isStrict) throw new Error('no case of the switch is true for a message');
    }
    return parts;
  }

  #isTrue(check: Mapping | undefined, batch: Batch, index: number): boolean {
    if (check === undefined) return true;
    try {
      const result = check.apply(batch[index]!, { batch, index }, this.#context.mappingPorts);
      return result.kind === 'value' && result.value === true;
    } catch (error) {
      if (!(error instanceof MappingFailure)) throw error;
      this.#context.log.warn('failed to check a case', { error: reasonOf(error) });
      return false;
    }
  }

  flush(when?: FlushWhen): Promise<void> {
    return this.#outputs.flush(when);
  }

  close(): Promise<void> {
    return this.#outputs.close();
  }
}

const rejecting: readonly string[] = ['reject'];

export const switchOutput = componentOf('output', {
  name: 'switch',
  connectionsCountedBy: 'its children',
  about: 'Writes each message to the output of the first case whose check is true for it.',
  fields: {
    retry_until_success: bool('Whether an output writes again what it failed on.').or(false),
    strict_mode: bool(
      'Whether a message for which no check is true fails its batch; otherwise it is dropped.',
    )
      .or(false)
      .advanced(),
    cases: list(
      'The cases, in order.',
      object('A case.', {
        check: mapping(
          'A query; the case is for messages for which it is true, and for all if it is empty.',
        ).or(''),
        output: child('output', 'Where messages of the case are written to.'),
        continue: bool('Whether the cases that follow get the message too.').or(false).advanced(),
      }),
    ).check((cases) => (cases.length < 2 ? 'has to have two cases or more' : undefined)),
  },
  check({ retry_until_success: retries, cases }, reading, place) {
    for (const { output } of cases ?? [])
      if (retries && output !== undefined && rejecting.includes(output.name))
        reading.problem(
          place,
          `retry_until_success has to be false, because a case has the output ${output.name}`,
        );
  },
  async open({ retry_until_success: retries, strict_mode: isStrict, cases }, context) {
    const { all } = await ChildOutputs.open(
      cases.map(({ output }) => output),
      context,
    );
    const outputs = retries ? all.map((output) => new RetryOutput(output, endlessRetry, context)) : all;
    return new Switch(cases, new ChildOutputs(outputs), isStrict, context);
  },
});
