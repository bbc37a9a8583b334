import { readFile } from 'node:fs/promises';
import { parseDocument, type Value } from '@weir/bloblang';
import type { LogLevel } from '@weir/core';
import type { ComponentContext } from '../component/component-context.ts';
import { componentOf } from '../component/component-spec.ts';
import { failedBy } from '../component/failures.ts';
import { list, string } from '../component/field-types.ts';
import type { Processor } from '../component/instances.ts';
import type { Batch, Message } from '../component/message.ts';
import { HttpFetch } from '../http-requests/index.ts';
import { Script, ScriptFailure, type ScriptHost } from '../scripts/script.ts';
import { withDocument } from './with-document.ts';

const shownCharsMax = 2000;

/** Runs a script on each message, one after the other: what is global in it is shared by all messages. */
class JavascriptProcessor implements Processor {
  readonly #code: string;
  readonly #context: ComponentContext;
  readonly #engines: typeof import('../scripts/quickjs.ts');
  readonly #waits: boolean;
  readonly #fetch: HttpFetch;
  #script: Script | undefined;
  /** The message that the script works on. */
  #message: Message | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #stop: AbortSignal;

  constructor(code: string, context: ComponentContext, engines: typeof import('../scripts/quickjs.ts')) {
    this.#code = code;
    this.#context = context;
    this.#engines = engines;
    this.#waits = code.includes('v0_fetch');
    this.#fetch = new HttpFetch(context);
    this.#stop = context.stop;
  }

  process(batch: Batch, stop: AbortSignal): readonly Batch[] | Promise<readonly Batch[]> {
    const changed: Message[] = [];
    if (!this.#waits)
      for (const message of batch) {
        // It may have been given up after the message before.
        const script = this.#script;
        if (script === undefined) break;
        changed.push(this.#changed(message, script));
      }
    if (changed.length === batch.length) return [changed];
    // Another batch may be at work in the same engine.
    const done = this.#last.then(() => this.#changedLater(batch.slice(changed.length), stop));
    this.#last = done.catch(() => {});
    return done.then((rest) => [[...changed, ...rest]]);
  }

  async #changedLater(batch: Batch, stop: AbortSignal): Promise<Message[]> {
    this.#stop = stop;
    const changed: Message[] = [];
    for (const message of batch) {
      const script = await this.open();
      if (!this.#waits) {
        changed.push(this.#changed(message, script));
        continue;
      }
      this.#message = message;
      const failure = await script.runLater().then(
        () => undefined,
        (error: unknown) => error,
      );
      changed.push(this.#outcome(message, failure));
    }
    return changed;
  }

  #changed(message: Message, script: Script): Message {
    this.#message = message;
    try {
      script.run();
      return this.#outcome(message, undefined);
    } catch (error) {
      return this.#outcome(message, error);
    }
  }

  #outcome(before: Message, failure: unknown): Message {
    if (failure === undefined) return this.#message!;
    // An engine that ran out of memory or time may be in the middle of anything.
    if (failure instanceof ScriptFailure && failure.isOverLimit) this.#script = undefined;
    return failedBy(before, failure, this.#context, 'javascript');
  }

  async open(): Promise<Script> {
    const { newContext, newWaitingContext } = this.#engines;
    this.#script ??= new Script(
      await (this.#waits ? newWaitingContext() : newContext()),
      this.#code,
      this.#host(),
      this.#context.clock,
    );
    return this.#script;
  }

  #host(): ScriptHost {
    const current = () => this.#message!;
    const change = (message: Message) => {
      this.#message = message;
      return undefined;
    };
    return {
      call: {
        as_string: () => JSON.stringify(current().content.toString()),
        as_structured: () => {
          // Its text may have anything before and behind it that JSON allows.
          current().document();
          return current().content.toString();
        },
        exists_meta: (name) => String(current().metadata.has(name!)),
        get_meta: (name) => {
          const found = current().metadata.get(name!);
          if (found === undefined) throw new Error('key not found');
          return JSON.stringify(found, (_key, value: unknown) =>
            typeof value === 'bigint' ? Number(value) : value,
          );
        },
        set_meta: (name, json) => change(current().withEntry(name!, documentOf(json!))),
        set_string: (text) => change(current().withContent(Buffer.from(text!))),
        set_structured: (json) => change(withDocument(current(), documentOf(json!))),
        log: (level, text) => {
          this.#context.log[level as LogLevel]('received a line of a script', {
            line: text!.slice(0, shownCharsMax),
          });
          return undefined;
        },
      },
      fetch: async (url, headers, method, body) =>
        JSON.stringify(
          await this.#fetch.send(
            {
              url: url!,
              headers: JSON.parse(headers!) as Record<string, unknown>,
              method: method!,
              body: body!,
            },
            this.#stop,
          ),
        ),
    };
  }

  async close(): Promise<void> {
    await this.#last;
    this.#script = undefined;
    await this.#fetch.close();
  }
}

function documentOf(json: string): Value {
  return parseDocument(Buffer.from(json));
}

export const javascript = componentOf('processor', {
  name: 'javascript',
  about: 'Runs a script on each message, with functions to read and to change it.',
  fields: {
    code: string('The script.').optional(),
    file: string('A file with the script.').localOnly().optional(),
    global_folders: list(
      'Folders of modules; there are none, so that it has to be empty.',
      string('A folder.'),
    )
      .or([])
      .check((folders) =>
        folders.length > 0 ? 'has to be empty: modules are not available in this release' : undefined,
      ),
  },
  check({ code, file }, reading, place) {
    if (!code && !file) reading.problem(place, 'code or file is missing');
  },
  async open({ code, file }, context) {
    const text = file ? await readFile(file, 'utf8') : code!;
    const processor = new JavascriptProcessor(text, context, await import('../scripts/quickjs.ts'));
    await processor.open();
    return processor;
  },
});
