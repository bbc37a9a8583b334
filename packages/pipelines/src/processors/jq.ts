import { contentOf, parseDocument, printJson, type Value } from '@weir/bloblang';
import type { ComponentContext } from '../component/component-context.ts';
import { componentOf } from '../component/component-spec.ts';
import { failedBy } from '../component/failures.ts';
import { bool, string } from '../component/field-types.ts';
import type { Processor } from '../component/instances.ts';
import type { Batch, Message } from '../component/message.ts';
import { pipelineLimits } from '../limits.ts';
import { JqEngine } from '../scripts/jq-engine.ts';
import { withDocument } from './with-document.ts';

interface JqFields {
  readonly query: string;
  readonly raw: boolean;
  readonly output_raw: boolean;
}

/** A message, and what jq reads of it. */
interface Asked {
  readonly message: Message;
  readonly line: string;
}

class JqProcessor implements Processor {
  readonly #fields: JqFields;
  readonly #context: ComponentContext;
  readonly #engine: JqEngine;
  #last: Promise<unknown> = Promise.resolve();

  constructor(fields: JqFields, context: ComponentContext) {
    this.#fields = fields;
    this.#context = context;
    this.#engine = new JqEngine(context.clock);
  }

  async open(): Promise<this> {
    try {
      await this.#engine.compile(this.#fields.query);
    } catch (error) {
      await this.#engine.close();
      throw new Error(`query of jq: ${(error as Error).message}`, { cause: error });
    }
    return this;
  }

  /** There is one engine, and several batches may be at work. */
  process(batch: Batch, stop: AbortSignal): Promise<readonly Batch[]> {
    const done = this.#last.then(() => this.#changed(batch, stop));
    this.#last = done.catch(() => undefined);
    return done;
  }

  async close(): Promise<void> {
    await this.#last;
    await this.#engine.close();
  }

  async #changed(batch: Batch, stop: AbortSignal): Promise<readonly Batch[]> {
    const changed: (Message | undefined)[] = [];
    for (let at = 0; at < batch.length; at += pipelineLimits.jqMessagesAtATime)
      changed.push(...(await this.#some(batch.slice(at, at + pipelineLimits.jqMessagesAtATime), stop)));
    const left = changed.filter((message) => message !== undefined);
    return left.length === 0 ? [] : [left];
  }

  async #some(batch: Batch, stop: AbortSignal): Promise<(Message | undefined)[]> {
    const asked = batch.map((message) => this.#asked(message));
    const outcomes = await this.#outcomes(
      asked.filter((one): one is Asked => 'line' in one),
      stop,
    );
    return asked.map((one) => ('line' in one ? outcomes.get(one.message) : one));
  }

  async #outcomes(
    asked: readonly Asked[],
    stop: AbortSignal,
  ): Promise<ReadonlyMap<Message, Message | undefined>> {
    const outcomes = new Map<Message, Message | undefined>();
    if (asked.length === 0) return outcomes;
    try {
      const lines = await this.#engine.run(
        asked.map(({ line }) => line),
        stop,
      );
      for (const [at, { message }] of asked.entries()) outcomes.set(message, this.#made(message, lines[at]!));
    } catch (error) {
      if (stop.aborted) throw error;
      if (asked.length === 1) {
        const [{ message }] = asked as [Asked];
        outcomes.set(message, failedBy(message, error, this.#context, 'jq'));
      }
      // One of them is too much for the engine; the others are not to fail with it.
      else
        for (const one of asked)
          for (const [message, outcome] of await this.#outcomes([one], stop)) outcomes.set(message, outcome);
    }
    return outcomes;
  }

  /** The document is printed again: with sorted keys, as Bento has them, and never as several documents. */
  #asked(message: Message): Asked | Message {
    try {
      const metadata = contentOf(Object.fromEntries(message.metadata)).toString();
      const value = this.#fields.raw
        ? JSON.stringify(message.content.toString())
        : printJson(message.document(), {});
      return { message, line: `[${metadata},${value}]` };
    } catch (error) {
      return failedBy(message, error, this.#context, 'jq');
    }
  }

  #made(message: Message, line: string): Message | undefined {
    try {
      const { v: emitted, e: error } = parseDocument(Buffer.from(line)) as { v?: Value[]; e?: Value };
      if (emitted === undefined) throw new Error(contentOf(error ?? null).toString());
      return this.#result(message, emitted);
    } catch (error) {
      return failedBy(message, error, this.#context, 'jq');
    }
  }

  #result(message: Message, emitted: Value[]): Message | undefined {
    if (emitted.length === 0) return undefined;
    if (this.#fields.output_raw) return message.withContent(Buffer.concat(emitted.map(contentOf)));
    return withDocument(message, emitted.length === 1 ? emitted[0]! : emitted);
  }
}

export const jq = componentOf('processor', {
  name: 'jq',
  about:
    'Replaces each message by the result of a query of jq; several results become an array, and a message without a result is dropped. The variable `$metadata` has the metadata of the message.',
  fields: {
    query: string('The query.'),
    raw: bool('Whether the query has the content as a text, and not as JSON.').or(false).advanced(),
    output_raw: bool('Whether results that are texts are not quoted.').or(false).advanced(),
  },
  open: (fields, context) => new JqProcessor(fields, context).open(),
});
