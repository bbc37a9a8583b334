import type { Mapping } from '@weir/bloblang';
import type { ComponentConfig } from '../component/component-config.ts';
import type { ComponentContext } from '../component/component-context.ts';
import { componentOf } from '../component/component-spec.ts';
import { failedBy, reasonOf } from '../component/failures.ts';
import { children, mapping } from '../component/field-types.ts';
import type { Processor } from '../component/instances.ts';
import { after, type Later } from '../component/later.ts';
import type { Batch, Message } from '../component/message.ts';
import { Chain } from '../engine/chain.ts';

export const branchFields = {
  request_map: mapping('Makes the message that the processors get; a copy if empty, none if `deleted()`.').or(
    '',
  ),
  processors: children('processor', 'Applied to requests; they have to keep their number and order.').check(
    (processors) => (processors.length === 0 ? 'has to have at least one processor' : undefined),
  ),
  result_map: mapping('Puts the result into the message; it stays unchanged if empty.').or(''),
};

interface BranchFields {
  readonly request_map: Mapping | undefined;
  readonly processors: readonly ComponentConfig<'processor'>[];
  readonly result_map: Mapping | undefined;
}

/** What became of a message in a branch. It may also be skipped, which is neither. */
export interface BranchResult {
  readonly message?: Message;
  readonly failure?: string;
}

const skipped: BranchResult = {};

/** Works on requests that are made of messages, and puts the results into the messages. */
export class Branch implements Processor {
  readonly #requestMap: Mapping | undefined;
  readonly #resultMap: Mapping | undefined;
  readonly #chain: Chain;
  readonly #context: ComponentContext;

  private constructor(fields: BranchFields, chain: Chain, context: ComponentContext) {
    this.#requestMap = fields.request_map;
    this.#resultMap = fields.result_map;
    this.#chain = chain;
    this.#context = context;
  }

  static async open(fields: BranchFields, context: ComponentContext): Promise<Branch> {
    return new Branch(fields, await Chain.open(fields.processors, context), context);
  }

  process(batch: Batch, stop: AbortSignal): Later<readonly Batch[]> {
    return after(this.results(batch, stop), (results) => {
      const merged = this.merged(batch, results);
      return [
        batch.map((message, index) => {
          const { message: changed, failure } = merged[index]!;
          return failure === undefined
            ? (changed ?? message)
            : failedBy(message, failure, this.#context, 'branch');
        }),
      ];
    });
  }

  /** Makes requests, except for messages that are to be skipped, and processes them. */
  results(
    batch: Batch,
    stop: AbortSignal,
    isSkipped: (index: number) => boolean = () => false,
  ): Later<readonly BranchResult[]> {
    const results: BranchResult[] = batch.map(() => skipped);
    const requests: Message[] = [];
    const indexes: number[] = [];
    for (let index = 0; index < batch.length; index++) {
      if (isSkipped(index)) continue;
      try {
        const request = this.#request(batch, index);
        if (request === undefined) continue;
        requests.push(request);
        indexes.push(index);
      } catch (error) {
        results[index] = { failure: `request mapping failed: ${reasonOf(error)}` };
      }
    }
    if (requests.length === 0) return results;
    return after(this.#chain.process(requests, stop), (batches) => {
      const answers = batches.flat();
      // It is not known which answer is whose, and all messages fail, also those that were skipped.
      if (answers.length !== requests.length) {
        const failed = miscounted(requests, answers);
        return results.map((result) => (result.failure === undefined ? failed : result));
      }
      for (let at = 0; at < indexes.length; at++) results[indexes[at]!] = resultOf(answers[at]!);
      return results;
    });
  }

  /** The messages with the results in them. */
  merged(batch: Batch, results: readonly BranchResult[]): readonly BranchResult[] {
    const resultMap = this.#resultMap;
    // Those that were skipped have no message; mappings see them as empty.
    const answers = results.map(({ message }) => message ?? {});
    return results.map((result, index) => {
      if (result.message === undefined || resultMap === undefined)
        return result.failure === undefined ? skipped : result;
      const onto = batch[index]!;
      try {
        const mapped = resultMap.apply(
          result.message,
          { batch: answers, index, onto },
          this.#context.mappingPorts,
        );
        if (mapped.kind === 'deleted') return skipped;
        const metadata = mapped.metadata ?? onto.metadata;
        const message =
          mapped.kind === 'value' ? onto.withValue(mapped.value, metadata) : onto.withMetadata(metadata);
        return { message };
      } catch (error) {
        return { failure: `result mapping failed: ${reasonOf(error)}` };
      }
    });
  }

  /** What the maps read and assign, which decides the order of a workflow. */
  get references() {
    return {
      reads: this.#requestMap?.references().reads ?? [],
      writes: this.#resultMap?.references().writes ?? [],
    };
  }

  async close(): Promise<void> {
    await this.#chain.close();
  }

  /** Errors of the message are not those of its request. */
  #request(batch: Batch, index: number): Message | undefined {
    const message = batch[index]!;
    if (this.#requestMap === undefined) return message.withError(undefined);
    const mapped = this.#requestMap.apply(message, { batch, index }, this.#context.mappingPorts);
    if (mapped.kind === 'deleted') return undefined;
    const metadata = mapped.metadata ?? message.metadata;
    const request =
      mapped.kind === 'value'
        ? message.withValue(mapped.value, metadata)
        : message.withContent(Buffer.alloc(0)).withMetadata(metadata);
    return request.withError(undefined);
  }
}

function resultOf(message: Message): BranchResult {
  return message.error === undefined
    ? { message }
    : { failure: `processors failed: ${message.error.message}` };
}

function miscounted(requests: Batch, answers: Batch): BranchResult {
  return {
    failure: `the processors of a branch have to keep the number of messages; there were ${requests.length}, and ${answers.length} are left`,
  };
}

export const branch = componentOf('processor', {
  name: 'branch',
  about: 'Makes a request of each message, applies processors to it, and puts the result into the message.',
  fields: branchFields,
  open: (fields, context) => Branch.open(fields, context),
});
