import type { ComponentConfig } from '../component/component-config.ts';
import type { ComponentContext } from '../component/component-context.ts';
import { type ComponentSpec, componentWith } from '../component/component-spec.ts';
import { children } from '../component/field-types.ts';
import type { Processor } from '../component/instances.ts';
import { after, inOrder, type Later } from '../component/later.ts';
import type { Batch, Message } from '../component/message.ts';
import { Chain } from '../engine/chain.ts';

/** How a list of processors is applied to a batch. */
type Apply = (chain: Chain, batch: Batch, stop: AbortSignal) => Later<readonly Batch[]>;

function listSpec(name: string, about: string, apply: Apply): ComponentSpec<'processor'> {
  return componentWith('processor', {
    name,
    about,
    field: children('processor', 'The processors, in order.').or([]),
    open: (configs, context) => chainProcessor(configs, context, apply),
  });
}

async function chainProcessor(
  configs: readonly ComponentConfig<'processor'>[],
  context: ComponentContext,
  apply: Apply,
): Promise<Processor> {
  const chain = await Chain.open(configs, context);
  return {
    process: (batch, stop) => apply(chain, batch, stop),
    close: () => chain.close(),
  };
}

/** One batch of all messages; none if nothing is left. */
export function gathered(results: readonly (readonly Batch[])[]): readonly Batch[] {
  const messages: Message[] = [];
  for (const batches of results) for (const batch of batches) messages.push(...batch);
  return messages.length === 0 ? [] : [messages];
}

export const chainProcessors = [
  listSpec('processors', 'Applies processors one after the other.', (chain, batch, stop) =>
    chain.process(batch, stop),
  ),
  listSpec(
    'for_each',
    'Applies processors to each message as if it were a batch of its own.',
    (chain, batch, stop) =>
      after(
        inOrder(batch, (message) => chain.process([message], stop)),
        gathered,
      ),
  ),
  listSpec(
    'try',
    'Applies processors to each message until one fails; a message that has failed skips the rest.',
    (chain, batch, stop) =>
      after(
        inOrder(batch, (message) => chain.attempt([message], stop)),
        gathered,
      ),
  ),
  listSpec(
    'catch',
    'Applies processors to messages that have failed; all messages leave it without an error.',
    (chain, batch, stop) =>
      after(
        inOrder(batch, (message) =>
          message.error === undefined ? [[message]] : chain.process([message], stop),
        ),
        (results) => gathered(results).map(mended),
      ),
  ),
];

function mended(batch: Batch): Batch {
  return batch.map((message) => (message.error === undefined ? message : message.withError(undefined)));
}
